// Whoever a command needs: the host that runs already, or one of its own that is stopped afterwards, without a trace.

import { StandpipeError, UsageError } from '../../base/errors.ts';
import { unlessAborted } from '../../base/wait.ts';
import type { HostAccess } from '../../host/host-access.ts';
import type { Unanswered } from '../../host/process-service.ts';
import type { RemoteHost } from '../../host/remote-host.ts';
import type { Tool } from '../../mcp/types.ts';
import type { Invocation } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { findRunningHost } from './running-host.ts';
import type { ServerCommandOptions } from './server-command.ts';
import { hasTerminal, reportUnanswered } from './server-reports.ts';

export interface Reached {
  host: HostAccess;
  /** It was there before, and stays. */
  running: boolean;
  /** The only server, where it was started for the purpose. */
  only: string | undefined;
  /** What servers asked so far that nobody answered. */
  unanswered: readonly Unanswered[];
  /** For the completion of shells, when no host runs that can be asked. */
  remember: (server: string, tools: readonly Tool[]) => void;
}

/** Gives the host to the work, and lets go of it when that is over, whatever happens. */
export async function withHost<T>(
  invocation: Invocation,
  options: ServerCommandOptions,
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  const { serverCommand, settings, signal, out } = invocation;
  const unanswered: Unanswered[] = [];
  const running = serverCommand ? undefined : await findRunningHost(settings, (text) => out.say(text));
  if (running) {
    if (settings.verbose) out.say('Using the running host; its traffic is shown there, not here.');
    answerQuestions(running, unanswered, out);
    try {
      return await unlessAborted(
        work({ host: running, running: true, only: undefined, remember: () => undefined, unanswered }),
        signal,
      );
    } finally {
      await running.close();
    }
  }
  const [{ ownHost }, { OwnHost }, { rememberTools }] = await Promise.all([
    import('./own-host.ts'),
    import('../../host/host-access.ts'),
    import('../completion/remembered-tools.ts'),
  ]);
  const remember: Reached['remember'] = (server, tools) => {
    if (!serverCommand) rememberTools(settings, server, tools);
  };
  const own = await ownHost(invocation, options, unanswered);
  try {
    const only = serverCommand ? own.names[0] : undefined;
    return await unlessAborted(work({ host: new OwnHost(own), running: false, only, remember, unanswered }), signal);
  } catch (error) {
    throw whyItFailed(error);
  } finally {
    out.activity.begin('stopping the servers');
    await own.stop();
    out.activity.end();
  }
}

/** What a server asks during a call goes to the terminal of this command, if it has one. */
function answerQuestions(host: RemoteHost, unanswered: Unanswered[], out: Output): void {
  if (hasTerminal()) {
    host.inputs = (server) => ({
      elicitModes: ['form', 'url'],
      elicit: async (params, context) => {
        const { askPerson } = await import('./ask-person.ts');
        return askPerson(server, out).elicit!(params, context);
      },
    });
  }
  host.onUnanswered = (question) => {
    unanswered.push(question);
    reportUnanswered(question, out);
  };
}

/** For commands that only make sense while a host runs. */
export async function withRunningHost<T>(
  { settings, signal, out }: Invocation,
  work: (host: RemoteHost) => Promise<T>,
): Promise<T> {
  const host = await findRunningHost(settings, (text) => out.say(text));
  if (!host) throw noHost();
  try {
    return await unlessAborted(work(host), signal);
  } finally {
    await host.close();
  }
}

export function noHost(): UsageError {
  return new UsageError('NOT_STARTED', 'No host is running for this config', {
    hint: 'Start one with `standpipe up`; other commands start the servers they need.',
  });
}

/** That a server is not running is no news to whoever just tried to start it: why is. */
function whyItFailed(error: unknown): unknown {
  const failed = error instanceof StandpipeError && error.code === 'SERVER_FAILED';
  return failed && error.cause instanceof StandpipeError ? error.cause : error;
}
