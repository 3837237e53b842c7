// A header as it is given on a command line: `--header 'Name: value'`.

import { UsageError } from '../base/errors.ts';
import { isSecretName } from '../base/secrets/secret-names.ts';

export function readHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(\S[^\r\n]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  // The text is not quoted: it may be a secret.
  throw new UsageError('INVALID_OPTION', '--header must be a name and a value with a colon between them', {
    hint: "For example: --header 'Authorization: Bearer ${TOKEN}'",
  });
}

/** Whether a value is written out that is probably a secret: of a header, or of a variable. */
export function showsSecret([name, value]: readonly [name: string, value: string]): boolean {
  return value !== '' && !value.includes('${') && (isSecretName(name) || isSecretName(asVariable(name)));
}

/** `X-Key` is as secret as `X_KEY`. */
function asVariable(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
