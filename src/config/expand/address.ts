// Checks addresses and headers. Messages quote neither of them, because both may contain secrets.

import { UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { isSecretName } from '../../base/secrets/secret-names.ts';

interface Fault {
  message: string;
  suggestion: string;
}

const example = 'Write "https://host/path".';

export function addressFault(text: string): Fault | undefined {
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    const isHost = /^(?:[\w-]+\.)*[\w-]+(?::\d+)?(?:\/|$)/.test(text);
    const suggestion = isHost ? 'Prefix it with https://, or with http:// for a server on this machine.' : example;
    return { message: 'The address is not a URL', suggestion };
  }
  if (scheme === 'ws' || scheme === 'wss') {
    return { message: 'MCP over WebSocket is not supported', suggestion: 'Use the https:// address of the server.' };
  }
  if (scheme === 'nats') {
    return {
      message: 'A server of a fleet cannot be an entry of a config file',
      suggestion: `Remove the entry and join the fleet: \`${ownCommand} up --join nats://…\` adds its servers by their names.`,
    };
  }
  if (scheme !== 'http' && scheme !== 'https') {
    return { message: `The address must begin with https:// or http://, not with ${scheme}://`, suggestion: example };
  }
  return URL.canParse(text) ? undefined : { message: 'The address is not a URL', suggestion: example };
}

/** The message continues a sentence that begins with the name of the header. */
export function headerFault(value: string): Fault | undefined {
  if (/[\r\n]/.test(value)) {
    const suggestion = 'Remove it; a file that was read into a variable ends with one.';
    return { message: 'contains a line break', suggestion };
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    return { message: 'contains a character that HTTP does not allow', suggestion: 'Use ASCII characters.' };
  }
  return undefined;
}

/** Probable credentials in an address, for services with keys in their URLs. */
export function secretsInAddress(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { username, password, pathname, searchParams } = new URL(text);
  const inQuery = [...searchParams].filter(
    ([name]) => isSecretName(name) || /key$|^(?:code|sig|signature)$/i.test(name),
  );
  const inPath = pathname.split('/').filter((part) => part.length >= 20 && part.split(/[-_.]/).some(isRandom));
  return [password || username, ...inQuery.map(([, value]) => value), ...inPath].filter((value) => value !== '');
}

function isRandom(word: string): boolean {
  return word.length >= 8 && /\d/.test(word) && /[A-Za-z]/.test(word);
}

/** Parses a header from a command line: `--header 'Name: value'`. */
export function readHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(\S[^\r\n]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new UsageError('INVALID_OPTION', '--header must be a name and a value with a colon between them', {
    hint: "For example: --header 'Authorization: Bearer ${TOKEN}'",
  });
}

/** Whether the value of a header or variable is a literal that is probably a secret. */
export function showsSecret([name, value]: readonly [name: string, value: string]): boolean {
  return value !== '' && !value.includes('${') && (isSecretName(name) || isSecretName(asVariable(name)));
}

/** Names of headers and variables are compared in one form: `X-Key` becomes `X_KEY`. */
function asVariable(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
