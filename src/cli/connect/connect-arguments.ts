// The command line of `standpipe connect`. Parsed without the rest of the command line, because a host waits for the start.

import { UsageError } from '../../base/errors.ts';
import type { Params } from '../../mcp/service.ts';
import { durationOf, type Settings } from '../settings.ts';

export const DEFAULT_IDLE_MS = 10 * 60_000;

export interface ConnectArguments {
  settings: Settings;
  /** The parameters of `standpipe/use`. */
  use: Params;
  /** How long a host that is started for this connection stays without clients. */
  idleMs: number;
}

type Draft = { config?: string; idleMs?: number };

const withValue: Readonly<Record<string, (draft: Draft, value: string) => void>> = {
  '--config': (draft, value) => {
    draft.config = value;
  },
  '--idle': (draft, value) => {
    draft.idleMs = durationOf('--idle')(value);
  },
};

export function parseConnectArguments(words: readonly string[]): ConnectArguments {
  const draft: Draft = {};
  const servers: string[] = [];
  let all = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--all') all = true;
    else if (!word.startsWith('-')) servers.push(word);
    else {
      const [name, ...rest] = word.split('=');
      const set = withValue[name!];
      if (!set) throw usage(`Unknown option ${name}`);
      const value = rest.length > 0 ? rest.join('=') : words[++at];
      if (value === undefined) throw usage(`${name} needs a value`);
      set(draft, value);
    }
  }
  if (servers.length + Number(all) !== 1) throw usage('Name one server, or all of them by --all');
  const { idleMs = DEFAULT_IDLE_MS, config } = draft;
  return { settings: { config }, use: all ? {} : { server: servers[0] }, idleMs };
}

function usage(problem: string): UsageError {
  return new UsageError('INVALID_OPTION', problem, {
    hint: 'standpipe connect <server> | --all [--config FILE] [--idle TIME]',
  });
}
