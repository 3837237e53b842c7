// Output of `up` in a pipe or a file: one line per event, with the time. With --json: one document per line.

import { StandpipeError } from '../../../base/errors.ts';
import { counted } from '../../../base/terminal/counted.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { isAway, type StateChange } from '../../../host/supervision/server-state.ts';
import type { Output } from '../output/output.ts';
import type { UpView } from './view.ts';

export function logView(out: Pick<Output, 'write'>): UpView {
  const log = (text: string) => out.write(`${new Date().toISOString()} ${text}\n`);
  return {
    began: ({ config, servers, inspector }) => {
      log(`standpipe runs ${counted(servers.length, 'server')} of ${visibleLine(config)}`);
      if (inspector) log(`inspector ${inspector}`);
    },
    changed: ({ server, owner, to, reason }) => {
      // Processes of single clients start and stop often: only their failures are logged.
      if (owner === undefined) log(`${visibleLine(server)} ${to}: ${visibleLine(reason)}`);
      else if (to === 'backoff' || isAway(to)) log(visibleLine(`${server} (${owner}) ${to}: ${reason}`));
    },
    note: (text) => log(visibleLine(text)),
    advise: (lines) => {
      for (const line of lines) log(line);
    },
    stopping: () => log('stopping all servers'),
    ended: () => log('all servers have stopped'),
  };
}

export function jsonView(out: Output): UpView {
  const tell = (event: string, facts: object = {}) =>
    out.documentLine({ event, at: new Date().toISOString(), ...facts });
  return {
    began: ({ config, servers, inspector, http }) => tell('began', { config, servers, inspector, http }),
    changed: ({ server, owner, from, to, reason }: StateChange) => tell('state', { server, owner, from, to, reason }),
    note: (text) => tell('note', { text }),
    advise: (lines) => tell('advice', { lines }),
    stopping: () => tell('stopping'),
    ended: () => tell('ended'),
  };
}

/** One line for an error that does not end the host. */
export function errorLine(error: Error): string {
  const hint = error instanceof StandpipeError && error.hint ? ` ${error.hint}` : '';
  return `${error.message}${hint}`;
}
