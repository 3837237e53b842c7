// A tool call at a server that has one of the two forms of tasks, for a client that has another form or none: the task is
// followed here, and its result is that of the call.

import { Cancellable, type CancelSignal } from '../../../base/cancel-signal.ts';
import type { Clock } from '../../../base/clock.ts';
import { RpcCode, RpcError, toError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { isSilence } from '../../../wire/requests/lost-request.ts';
import { overlay } from '../../layers/layer.ts';
import { McpCode } from '../../protocol-errors.ts';
import { NEWEST_MODERN } from '../../revisions.ts';
import type { Caller, ClientFacts, Params, Result, Service } from '../../service.ts';
import { passing } from './passing-caller.ts';
import { TASKS } from './wire-forms.ts';

/** Declares the extension to the server, or sends `task` if the parameters have it. */
export async function callUpstream(service: Service, clock: Clock, params: Params, caller: Caller): Promise<Result> {
  const { callToEnd } = await import('./task-handle.ts');
  const client = params.task === undefined ? declaring(caller.client) : caller.client;
  const { timeoutMs: _, ...limits } = caller.options ?? {};
  const upstream = overlay(service, { request: (method, own, by) => requestOfTask(service, method, own, by) });
  const sending = passing(caller, { client, signal: caller.signal && delayed(caller.signal, clock) });
  // The timeout of the call does not apply to polls: a poll is short, however long the call may take.
  const polling = passing(caller, { client, options: limits });
  return callToEnd({ method: 'tools/call', params, caller: sending, service: upstream, clock }, polling);
}

/** Delay of a cancellation while a task is being created: its id is needed to cancel it. */
const CREATION_MS = 1_000;

function delayed(signal: CancelSignal, clock: Clock): CancelSignal {
  const later = new Cancellable();
  const cancel = () => clock.after(CREATION_MS, () => later.cancel(signal.reason));
  if (signal.aborted) later.cancel(signal.reason);
  else signal.addEventListener('abort', cancel, { once: true });
  return later;
}

/** The outcome of a task is unknown if the task can no longer be read, because its process exited or forgot it. */
async function requestOfTask(service: Service, method: string, params: Params, caller: Caller): Promise<Result> {
  try {
    return await service.request(method, params, caller);
  } catch (error) {
    if (method !== 'tasks/get' || isSilence(error)) throw error;
    const { message } = toError(error);
    throw new RpcError(RpcCode.internalError, `${message} — the tool was called as a task and may have run`);
  }
}

/** Whether a server refused the call, and did not run it, because the client has not declared the extension. */
export function needsExtension(error: unknown): boolean {
  if (!(error instanceof RpcError) || error.rpcCode !== McpCode.missingClientCapability) return false;
  const required = isObject(error.data) ? error.data.requiredCapabilities : undefined;
  return isObject(required) && isObject(required.extensions) && required.extensions[TASKS] !== undefined;
}

function declaring(client: ClientFacts): ClientFacts {
  const { capabilities } = client;
  const extensions = { ...capabilities.extensions, [TASKS]: {} };
  return { ...client, revision: NEWEST_MODERN, capabilities: { ...capabilities, extensions } };
}

/** The caller for a server that must not answer with a task. */
export function undeclaring(caller: Caller): Caller {
  const { [TASKS]: _, ...extensions } = caller.client.capabilities.extensions ?? {};
  return passing(caller, {
    client: { ...caller.client, capabilities: { ...caller.client.capabilities, extensions } },
  });
}

/**
 * The caller of a call that may outlive its request. Its questions belong to this call alone. The TTL of the task
 * limits its time, because `requestTimeoutMs` would end it too early. `timeoutMs` is longer, and applies only to a call
 * that cannot become a task because the store is full.
 */
export function inBackground(caller: Caller, timeoutMs: number): Caller {
  return passing(caller, { asksInResult: true, options: { ...caller.options, timeoutMs } });
}
