// `standpipe down`: stops the running host of the config and waits until its process has exited.

import { systemClock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { RemoteHost } from '../../../host/control/remote-host.ts';
import { isRunning } from '../../../wire/process/tree/signals.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { withChangedHost } from '../servers/reach-host.ts';
import { examples } from './server-options.ts';

/** Longer than all steps of stopping a server together. */
const DEFAULT_WAIT_MS = 60_000;
const LOOK_MS = 50;

export const define: CommandModule['define'] = (command, run) => {
  examples(command, 'down', 'down --config other/mcp.json', 'down --json');
  command.action(run(down));
};

const down: CommandBody = (invocation) =>
  withChangedHost(invocation, async (host) => {
    const { out, settings, signal } = invocation;
    const { pid, servers } = await host.status();
    const stopped = servers
      .filter(({ processes }) => processes.some(({ pid, state }) => pid !== null || state === 'ready'))
      .map(({ name }) => name);
    out.activity.begin(`stopping the host (process ${pid})`);
    await askToEnd(host);
    const waitMs = settings.timeoutMs ?? DEFAULT_WAIT_MS;
    const until = systemClock.nowMs() + waitMs;
    while (isRunning(pid)) {
      signal.throwIfAborted();
      if (systemClock.nowMs() > until) throw stillRunning(pid, waitMs);
      await new Promise<void>((resolve) => systemClock.after(LOOK_MS, resolve));
    }
    out.activity.end();
    if (out.json) out.document({ pid, stopped });
    else {
      const what = stopped.length > 0 ? stopped.map(visibleLine).join(', ') : 'no server was running';
      out.say(`The host (process ${pid}) has ended. Stopped: ${what}.`);
    }
    return undefined;
  });

async function askToEnd(host: RemoteHost): Promise<void> {
  try {
    await host.control('standpipe/down');
  } catch (error) {
    // The host may exit before its answer is sent.
    if (!(error instanceof PeerError) || error.code === 'REQUEST_TIMEOUT') throw error;
  }
}

function stillRunning(pid: number, waitMs: number): PeerError {
  return new PeerError('REQUEST_TIMEOUT', `The host (process ${pid}) has not ended within ${waitMs} ms`, {
    hint: 'It is still stopping its servers. Wait longer with --timeout.',
  });
}
