// Finds the running host for a command, or starts one and stops it afterwards.

import { StandpipeError, UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { unlessAborted } from '../../../base/wait.ts';
import type { HostAccess } from '../../../host/control/host-access.ts';
import type { RemoteHost } from '../../../host/control/remote-host.ts';
import type { Unanswered } from '../../../host/services/process-service.ts';
import type { Tool } from '../../../mcp/types.ts';
import type { FleetOptions } from '../fleet/fleet-options.ts';
import { type Invocation, invalidOption } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import { findRunningHost } from './running-host.ts';
import { givenServer, type ServerCommandOptions } from './server-command.ts';
import { hasTerminal, reportUnanswered } from './server-reports.ts';

export interface Reached {
  host: HostAccess;
  /** The host was running before the command and keeps running. */
  running: boolean;
  /** The socket of the running host; undefined for a fleet. */
  control?: string;
  only: string | undefined;
  unanswered: Unanswered[];
  /** Stores tools for completions while no host is running. */
  remember: (server: string, tools: readonly Tool[]) => void;
}

/** Runs the work with a host, and always releases the host afterwards. */
export async function withHost<T>(
  invocation: Invocation,
  options: ServerCommandOptions & FleetOptions,
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  const { settings, signal, out } = invocation;
  const given = await givenServer(invocation, options);
  const unanswered: Unanswered[] = [];
  if (options.join !== undefined) {
    if (given) throw serverOfFleet();
    const { visitFleet } = await import('../fleet/reach-fleet.ts');
    return visitFleet(invocation, options, unanswered, work);
  }
  const running = given || settings.alone ? undefined : await findRunningHost(settings, (text) => out.say(text));
  if (running) {
    if (settings.verbose) out.say('Using the running host; its traffic is shown there, not here.');
    answerQuestions(running, unanswered, out);
    try {
      const reached = { host: running, running: true, control: running.path, only: undefined, unanswered };
      return await unlessAborted(work({ ...reached, remember: () => undefined }), signal);
    } finally {
      await running.close();
    }
  }
  const [{ ownHost }, { OwnHost }, { rememberTools }] = await Promise.all([
    import('./own-host.ts'),
    import('../../../host/control/host-access.ts'),
    import('../completion/remembered-tools.ts'),
  ]);
  const remember: Reached['remember'] = (server, tools) => {
    if (!given) rememberTools(settings, server, tools);
  };
  const own = await ownHost(invocation, given && [given], unanswered);
  try {
    const only = given?.name;
    return await unlessAborted(work({ host: new OwnHost(own), running: false, only, remember, unanswered }), signal);
  } catch (error) {
    throw whyItFailed(error);
  } finally {
    out.activity.begin('stopping the servers');
    await own.stop();
    out.activity.end();
  }
}

function serverOfFleet(): UsageError {
  return invalidOption(
    '--join cannot be used with a command after -- or with a URL',
    'Name a server of the fleet, or remove --join.',
  );
}

/** Shows elicitations during a call at the terminal of this command, if there is one. */
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

/** Runs the work of a command that stops or changes a running host. */
export function withChangedHost<T>(invocation: Invocation, work: (host: RemoteHost) => Promise<T>): Promise<T> {
  return withRunningHost(invocation, work, undefined, true);
}

/** Runs the work of a command that requires a running host. */
export async function withRunningHost<T>(
  { settings, signal, out }: Invocation,
  work: (host: RemoteHost) => Promise<T>,
  otherwise: () => Promise<T> = () => Promise.reject(noHost()),
  changes = false,
): Promise<T> {
  const find = findRunningHost(settings, (text) => out.say(text), changes);
  // With --shared or --node, the error names the host that is not running.
  const host = await find.catch((error) => {
    if (error instanceof UsageError && error.code === 'NOT_STARTED')
      return otherwise().then(
        (done) => ({ done }),
        () => Promise.reject(error),
      );
    throw error;
  });
  if (!host) return otherwise();
  if ('done' in host) return host.done;
  try {
    return await unlessAborted(work(host), signal);
  } finally {
    await host.close();
  }
}

export function noHost(): UsageError {
  return new UsageError('NOT_STARTED', 'No host is running for this config', {
    hint: `Start one with \`${ownCommand} up\`; other commands start the servers they need.`,
  });
}

/** Replaces "not running" after a failed start with the cause of the failure. */
export function whyItFailed<E>(error: E): E | StandpipeError {
  const failed = error instanceof StandpipeError && error.code === 'SERVER_FAILED';
  return failed && error.cause instanceof StandpipeError ? error.cause : error;
}
