// Finds secrets that are written literally in an entry. The config of a fleet is kept in NATS, where every node and every program
// with its credentials can read it. So it must contain references, and the values stay on the nodes that may run the server.

import { isWorthMasking } from '../../../base/secrets/mask-values.ts';
import { secretsInArguments } from '../../../base/secrets/redact-arguments.ts';
import { secretsInAddress } from '../../../config/expand/address.ts';
import { parseTemplate, type Template } from '../../../config/expand/template.ts';
import { showsSecret } from '../../../config/header-option.ts';
import type { Draft } from '../../../config/read/draft.ts';
import type { Located } from '../../../config/read/fields.ts';

export interface LiteralSecret extends Located {
  /** Describes the secret without its value. */
  what: string;
  /** How to write it instead. */
  suggestion: string;
}

export function literalSecrets(draft: Draft): LiteralSecret[] {
  if (draft.url) {
    const headers = [...draft.headers].flatMap(([name, value]) =>
      named(`The header "${name}"`, name, value, `"${name}": "${example(name, value.text)}"`),
    );
    const { clientSecret } = draft.oauth || {};
    const secret = clientSecret
      ? named('"clientSecret"', 'clientSecret', clientSecret, '"clientSecret": "${CLIENT_SECRET}"')
      : [];
    const address = asWritten(draft.url.text);
    const inAddress = [...secretsInAddress(address), ...secretsIn(address)].some(isLiteral)
      ? [{ ...draft.url, what: 'The address', suggestion: 'Write ${NAME} in place of the secret part.' }]
      : [];
    return [...headers, ...secret, ...inAddress];
  }
  const env = [...draft.env].flatMap(([name, value]) =>
    value ? named(`The variable "${name}"`, name, value, `"${name}": "\${${name}}"`) : [],
  );
  const isShell = /(?:^|[\\/])(?:ba|da|z|k)?sh$/.test(draft.command?.text ?? '');
  const args = draft.args.flatMap((arg, index) => {
    const [before, text] = [draft.args[index - 1]?.text, asWritten(arg.text)];
    const found = secretsIn(...(before === undefined ? [] : [before]), text).filter((secret) => text.includes(secret));
    const isWritten = found.some((secret) => isLiteral(secret) && !(isShell && shellVariable.test(secret)));
    const suggestion = 'Write ${NAME} in place of it, or pass it in "env".';
    return isWritten ? [{ ...arg, what: 'An argument', suggestion }] : [];
  });
  const paths = [draft.command, draft.cwd, draft.envFile].flatMap((path) => {
    const suggestion = 'Write ${NAME} in place of it.';
    const isWritten = path && secretsIn(asWritten(path.text)).some(isLiteral);
    return isWritten ? [{ ...path, what: 'This text', suggestion }] : [];
  });
  return [...env, ...args, ...paths];
}

function named(what: string, name: string, value: Located, format: string): LiteralSecret[] {
  const text = asWritten(value.text);
  const isSecret = showsSecret([name, text.replaceAll('${', '')]) && isWorthMasking(text) && isLiteral(text);
  return isSecret || secretsIn(text).some(isLiteral)
    ? [{ ...value, what, suggestion: `Write ${format}: each node takes the value from its environment.` }]
    : [];
}

/** `$NAME` and `$(command)` in a shell. */
const shellVariable = /^["']?\$[A-Za-z_(]/;
const privateKey = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;
/** Kinds of authentication, not credentials. `isWorthMasking` excludes `none`. */
const kinds = /^(?:basic|bearer|oauth2?|oidc|jwt|mtls|required|optional)$/i;
/** `/run/secrets/token`, `~/.ssh/id_ed25519`. Secrets that happen to begin with a slash have longer parts. */
const path = /^(?:~|\.{1,2}|[A-Za-z]:)?(?:[\\/][\p{L}\p{M}\p{N}_ .@-]{1,30}){2,}$/u;

function secretsIn(...args: string[]): string[] {
  return privateKey.test(args.at(-1)!) ? [args.at(-1)!] : secretsInArguments(args);
}

/** Replaces references by their defaults, which are literal too, or by `${X}`. */
function asWritten(text: string): string {
  const written = (template: Template): string =>
    template
      .map((part) => (typeof part === 'string' ? part : part.fallback ? written(part.fallback) : '${X}'))
      .join('');
  const { template, fault } = parseTemplate(text);
  return fault === undefined ? written(template) : text;
}

/** Next to a reference, only text that looks like part of a secret counts: at least 8 characters with letters and digits. */
function isLiteral(secret: string): boolean {
  if (kinds.test(secret) || path.test(secret)) return false;
  const around = secret.split(/(?:\$|%24)(?:\{|%7B)[^}%]*(?:\}|%7D)/i);
  if (around.length === 1) return !/(?:\$|%24)(?:\{|%7B)/i.test(secret);
  return around.some((text) => text.length >= 8 && /\d/.test(text) && /[A-Za-z]/.test(text));
}

/** For example `Bearer ${TOKEN}` for the header `Authorization`, and `${X_API_KEY}` for `X-API-Key`. */
function example(name: string, value: string): string {
  const scheme = /^(Bearer|Basic|Token) /i.exec(value)?.[0] ?? '';
  const variable = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return `${scheme}\${${variable === 'AUTHORIZATION' ? 'TOKEN' : variable}}`;
}
