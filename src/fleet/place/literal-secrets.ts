// Secrets that are written out in an entry. The config of a fleet is kept in NATS, where each node and each program with its
// credentials can read it: so it has references, and the values stay on the nodes that may run the server.

import { secretsInAddress } from '../../config/expand/address.ts';
import { parseTemplate, type Reference, type Template } from '../../config/expand/template.ts';
import { showsSecret } from '../../config/header-option.ts';
import type { Draft } from '../../config/read/draft.ts';
import type { Located } from '../../config/read/fields.ts';
import { secretsInArguments } from '../../secrets/redact-arguments.ts';

export interface LiteralSecret extends Located {
  /** What it is, without its value. */
  what: string;
  /** How to write it. */
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
    const inAddress = isLiteral(secretsInAddress(draft.url.text))
      ? [{ ...draft.url, what: 'The address', suggestion: 'Write ${NAME} in place of the secret part.' }]
      : [];
    return [...headers, ...secret, ...inAddress];
  }
  const env = [...draft.env].flatMap(([name, value]) =>
    value ? named(`The variable "${name}"`, name, value, `"${name}": "\${${name}}"`) : [],
  );
  const args = draft.args.flatMap((arg, index) => {
    const before = draft.args[index - 1]?.text;
    const found = secretsInArguments(before === undefined ? [arg.text] : [before, arg.text]);
    const isHere = found.some((secret) => arg.text.includes(secret));
    const suggestion = 'Write ${NAME} in place of it, or pass it in "env".';
    return isHere && isLiteral(found) ? [{ ...arg, what: 'An argument', suggestion }] : [];
  });
  return [...env, ...args];
}

function named(what: string, name: string, value: Located, spelling: string): LiteralSecret[] {
  const isWritten = showsSecret([name, withoutReferences(value.text)]) || isLiteral(secretsInArguments([value.text]));
  return isWritten
    ? [{ ...value, what, suggestion: `Write ${spelling}: each node takes the value from its environment.` }]
    : [];
}

/** The default of a reference is written out too. A text with a reference and no default is not, whatever is around it. */
function withoutReferences(text: string): string {
  const { template } = parseTemplate(text);
  const references = template.filter((part): part is Reference => typeof part !== 'string');
  if (references.length === 0) return text;
  return references.map(({ fallback }) => literalText(fallback ?? [])).join('');
}

function literalText(template: Template): string {
  return template.map((part) => (typeof part === 'string' ? part : literalText(part.fallback ?? []))).join('');
}

function isLiteral(secrets: readonly string[]): boolean {
  return secrets.some((secret) => !/(?:\$|%24)(?:\{|%7B)/i.test(secret));
}

/** `Bearer ${AUTHORIZATION}`. */
function example(name: string, value: string): string {
  const scheme = /^(Bearer|Basic|Token) /i.exec(value)?.[0] ?? '';
  const variable = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return `${scheme}\${${variable === 'AUTHORIZATION' ? 'TOKEN' : variable}}`;
}
