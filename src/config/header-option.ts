// Parses a header from a command line: `--header 'Name: value'`.

import { UsageError } from '../base/errors.ts';
import { isSecretName } from '../base/secrets/secret-names.ts';

export function readHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(\S[^\r\n]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  // The message does not quote the text, which may be a secret.
  throw new UsageError('INVALID_OPTION', '--header must be a name and a value with a colon between them', {
    hint: "For example: --header 'Authorization: Bearer ${TOKEN}'",
  });
}

/** Whether the value of a header or variable is a literal that is probably a secret. */
export function showsSecret([name, value]: readonly [name: string, value: string]): boolean {
  return value !== '' && !value.includes('${') && (isSecretName(name) || isSecretName(asVariable(name)));
}

/** `X-Key` is as secret as `X_KEY`. */
function asVariable(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
