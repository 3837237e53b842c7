// Hides known values in text: those of a child's `env`, other known secrets, and learned ones (learned-values.ts). A
// value is found in plain form, escaped as JSON and in URL encoding (value-forms.ts), but not in other encodings or if
// it is split. Some values are not masked, because that would make the text useless and protect nothing: see
// `isWorthMasking`.

import { learnedChanges, learnedForms } from './learned-values.ts';
import { isSecretName } from './secret-names.ts';
import { ValueFinder } from './value-finder.ts';
import { formsOf } from './value-forms.ts';

/** The replacement for a secret without a name. */
export const REDACTED = '[redacted]';

export type Mask = (text: string) => string;

const SHORTEST = 4;
const commonWords =
  /^(?:true|false|yes|none|null|auto|default|debug|info|warn|warning|error|trace|verbose|silent|production|development|staging|test|testing|local|localhost|root|admin|user|guest|main|utf-?8|(?:127\.0\.0\.1|0\.0\.0\.0)(?::\d{1,5})?)$/i;

/** Variables that are not secret: paths, the user name, the language, the node of a fleet. */
const systemVariables =
  /^(?:PATH|PWD|OLDPWD|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TMP|TEMP|NODE_ENV|XDG_\w+|STANDPIPE_(?:CHECK_\w+|NODE|GENERATION))$/i;

const shortNumber = /^\d{1,5}$/;

/**
 * True for values of at least four characters that are not common words; without a secret name, also not numbers of up
 * to five digits.
 */
export function isWorthMasking(value: string, isNamedSecret = true): boolean {
  return value.length >= SHORTEST && !commonWords.test(value) && (isNamedSecret || !shortNumber.test(value));
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `secrets` holds further values to hide that are not in `env`. */
export function maskValues(env: Environment = {}, secrets: readonly string[] = []): Mask {
  return maskForms(masksByForm(env, secrets));
}

/** Replaces in one pass, so that a mask is never masked again. `maskOf` maps each form of a value to its replacement. */
export function maskForms(maskOf: ReadonlyMap<string, string>): Mask {
  let known = -1;
  let finder: ValueFinder;
  return (text) => {
    if (known !== learnedChanges()) {
      known = learnedChanges();
      finder = new ValueFinder([...maskOf.keys(), ...learnedForms()]);
    }
    return finder.replace(text, (value) => maskOf.get(value) ?? REDACTED);
  };
}

/** All forms that `maskValues` finds, with their replacements. */
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
