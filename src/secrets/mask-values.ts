// Hides known values in text: those of a child's `env`, and others that are known to be secret. A value is found as it is,
// as JSON escapes it and as a URL does (value-forms.ts). Not found: a value in another encoding, or one that was cut in two.
// Some values are left alone, since masking them makes the text useless and protects nothing: see `isWorthMasking`.

import { isSecretName } from './secret-names.ts';
import { formsOf } from './value-forms.ts';

/** In place of a secret that has no name. */
export const REDACTED = '[redacted]';

export type Mask = (text: string) => string;

const SHORTEST = 4;
const commonWords =
  /^(?:true|false|yes|none|null|auto|default|debug|info|warn|warning|error|trace|verbose|silent|production|development|staging|test|testing|local|localhost|root|admin|user|guest|main|utf-?8|(?:127\.0\.0\.1|0\.0\.0\.0)(?::\d{1,5})?)$/i;

/** What everybody knows: where programs and folders are, who is logged in, and in which language. */
const systemVariables =
  /^(?:PATH|PWD|OLDPWD|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|NODE_ENV|XDG_\w+)$/i;

const shortNumber = /^\d{1,5}$/;

/** At least four characters and no word that everyone uses; without a secret name, no number of up to five digits either. */
export function isWorthMasking(value: string, isNamedSecret = true): boolean {
  return value.length >= SHORTEST && !commonWords.test(value) && (isNamedSecret || !shortNumber.test(value));
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `secrets`: values to hide that are in no variable of the child. */
export function maskValues(env: Environment = {}, secrets: readonly string[] = []): Mask {
  return maskForms(masksByForm(env, secrets));
}

/** `maskOf`: what stands in place of each form of a value. */
export function maskForms(maskOf: ReadonlyMap<string, string>): Mask {
  if (maskOf.size === 0) return (text) => text;

  // One pass, so that a mask is never masked again; longest first, so that a value containing another wins whole.
  const longestFirst = [...maskOf.keys()].sort((a, b) => b.length - a.length);
  const anyValue = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g');
  return (text) => text.replace(anyValue, (value) => maskOf.get(value)!);
}

/** All that `maskValues` would find, with what stands in its place. */
export function masksByForm(env: Environment, secrets: readonly string[]): ReadonlyMap<string, string> {
  const maskOf = new Map<string, string>();
  const add = (value: string, mask: string, isNamedSecret: boolean) => {
    if (!isWorthMasking(value, isNamedSecret)) return;
    for (const form of formsOf(value)) if (!maskOf.has(form)) maskOf.set(form, mask);
  };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !systemVariables.test(name)) add(value, `[env ${name}]`, isSecretName(name));
  }
  for (const secret of secrets) add(secret, REDACTED, true);
  return maskOf;
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
