// Makes a new entry from a command line. Values that look like secrets are written as given, with advice to use a reference to a
// variable instead.

import { UsageError } from '../../base/errors.ts';
import { ownCommand } from '../../base/own-command.ts';
import { readHeader, secretsInAddress, showsSecret } from '../expand/address.ts';
import type { PlainEntry } from '../hosts/host-program.ts';
import type { RemoteTransport } from '../server-config.ts';

interface NewServer {
  command?: readonly string[] | undefined;
  url?: string | undefined;
  /** `NAME=value`, or `NAME` for a reference to the variable of this name. */
  env?: readonly string[] | undefined;
  /** `Name: value`. */
  header?: readonly string[] | undefined;
  transport?: RemoteTransport | undefined;
  /** Further keys of the entry. */
  settings?: PlainEntry | undefined;
}

interface NewEntry {
  entry: PlainEntry;
  /** Advice for each value that looks like a secret: how to keep it out of the file. */
  advice: readonly string[];
}

export function newEntry({ command, url, env = [], header = [], transport, settings }: NewServer): NewEntry {
  if ((command === undefined) === (url === undefined)) {
    throw invalid(
      url === undefined ? 'No command or URL was given' : 'A server has a URL or a command, not both',
      `Write \`${ownCommand} add <name> -- <command …>\` or \`${ownCommand} add <name> <url>\`.`,
    );
  }
  if (command !== undefined) {
    const [program, ...args] = command;
    if (!program) throw invalid('There is no command after --', 'For example: -- npx -y some-server');
    if (header.length > 0) throw invalid('--header needs a URL', 'For a command, use variables: --env NAME=value');
    if (transport !== undefined) throw invalid('--transport needs a URL');
    const variables = env.map(readVariable);
    return {
      entry: {
        command: program,
        ...(args.length > 0 ? { args } : {}),
        ...(variables.length > 0 ? { env: Object.fromEntries(variables) } : {}),
        ...settings,
      },
      advice: variables
        .filter(showsSecret)
        .map(([name]) => `Write --env ${name} without a value to keep the value of ${name} out of the file.`),
    };
  }
  if (!/^https?:\/\//i.test(url!)) {
    throw invalid(
      `${JSON.stringify(url)} is not a URL`,
      'Write the command of a server after --, or a URL that begins with https:// or http://.',
    );
  }
  if (env.length > 0)
    throw invalid('--env needs a command', 'For a remote server, use headers: --header "Name: value"');
  const headers = header.map(readHeader);
  return {
    entry: {
      ...(transport === undefined || transport === 'auto' ? {} : { type: transport }),
      url,
      ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
      ...settings,
    },
    advice: [
      ...headers.filter(showsSecret).map(([name, value]) => {
        const scheme = /^[A-Za-z]+ /.exec(value)?.[0] ?? '';
        return `Write --header '${name}: ${scheme}\${SOME_VARIABLE}' to keep the value of ${name} out of the file.`;
      }),
      ...(!url!.includes('${') && secretsInAddress(url!).length > 0
        ? ["Write '${SOME_VARIABLE}' in the URL, in single quotes, to keep its credentials out of the file."]
        : []),
    ],
  };
}

function readVariable(text: string): [string, string] {
  const at = text.indexOf('=');
  const name = at < 0 ? text : text.slice(0, at);
  if (name.trim() === '')
    throw invalid(`--env cannot be "${text}"`, 'Write --env NAME=value, or --env NAME for a reference to a variable.');
  return [name, at < 0 ? `\${${name}}` : text.slice(at + 1)];
}

function invalid(message: string, hint?: string): UsageError {
  return new UsageError('INVALID_OPTION', message, { hint });
}
