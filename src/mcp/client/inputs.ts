// What a server asks of its client, answered the same way in both eras: from the handlers that the caller gave.

import type { Clock } from '../../base/clock.ts';
import { RpcCode, RpcError } from '../../base/errors.ts';
import type { RequestHandler } from '../../jsonrpc/inbound.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import type { Era } from '../revisions.ts';
import type { ClientCapabilities, ElicitParams, InputRequest, InputResponse, SampleParams } from '../types.ts';
import type { InputHandlers } from './options.ts';
import { pause } from './wait.ts';
import type { Warn } from './warnings.ts';

/** Any request; only those of `InputRequest` are understood. */
export type AskedInput = { method: string; params?: object };

const inputMethods: readonly InputRequest['method'][] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/** Presence of a handler is the declaration. Modern clients have no way to announce a change of roots. */
export function clientCapabilities(handlers: InputHandlers, era: Era): ClientCapabilities {
  const { elicit, sample, roots, capabilities } = handlers;
  return {
    ...capabilities,
    ...(elicit && { elicitation: Object.fromEntries(modesOf(handlers).map((mode) => [mode, {}])) }),
    ...(sample && { sampling: { ...capabilities?.sampling } }),
    ...(roots && { roots: era === 'legacy' ? { listChanged: true } : {} }),
  };
}

/** Until when nobody is asked anything, and how long to wait for what came together with a question. */
export interface AskingGate {
  /** Whether this is a legacy session, and the server has been told that it is open. */
  mayAsk: boolean;
  clock: Clock;
  warn: Warn;
}

/** Legacy: the server asks by requests of its own. */
export function answerRequests(peer: Peer, handlers: InputHandlers, gate: AskingGate): void {
  for (const method of inputMethods) {
    if (!handlerOf(method, handlers)) continue; // the peer answers "method not found"
    const answer: RequestHandler = async (params, call) => {
      // A server in a hurry asks right behind its answer to `initialize`: that is about to be read.
      if (!gate.mayAsk) await pause(gate.clock, 0, call.signal);
      if (!gate.mayAsk) throw tooEarly(method, gate.warn);
      return answerInput({ method, params }, handlers, call.signal);
    };
    peer.handle(method, answer, { asks: true });
  }
}

/**
 * Before `notifications/initialized` a server may ping and log, says the specification. What it asks of the user, or of his
 * model, before anybody knows who it is and by which rules, nobody is shown.
 */
function tooEarly(method: string, warn: Warn): RpcError {
  warn('asked-too-early', `The server sent ${method} before a session was open; it was refused`);
  return new RpcError(
    RpcCode.invalidRequest,
    `${method} came before the session was open: until notifications/initialized a server may only ping and log`,
  );
}

export async function answerInput(asked: AskedInput, handlers: InputHandlers, signal: AbortSignal) {
  const refused = refusal(asked, handlers);
  if (refused) throw refused;
  return (await handlerOf(asked.method, handlers)!(asked.params ?? {}, signal)) as InputResponse;
}

/** Why this may not be asked of us, in the words and codes of the specification. */
export function refusal({ method, params }: AskedInput, handlers: InputHandlers): RpcError | undefined {
  if (!handlerOf(method, handlers)) {
    return new RpcError(RpcCode.methodNotFound, `${method} was not declared by this client`);
  }
  const { mode = 'form', tools } = (params ?? {}) as { mode?: string; tools?: unknown };
  if (method === 'elicitation/create' && !modesOf(handlers).includes(mode as never)) {
    return new RpcError(RpcCode.invalidParams, `Elicitation mode "${mode}" was not declared by this client`);
  }
  if (method === 'sampling/createMessage' && tools && !handlers.capabilities?.sampling?.tools) {
    return new RpcError(RpcCode.invalidParams, 'Sampling with tools was not declared by this client');
  }
  return undefined;
}

type Answer = (params: object, signal: AbortSignal) => unknown;

function handlerOf(method: string, { elicit, sample, roots }: InputHandlers): Answer | undefined {
  switch (method) {
    case 'elicitation/create':
      return elicit && ((params, signal) => elicit(params as ElicitParams, { signal }));
    case 'sampling/createMessage':
      return sample && ((params, signal) => sample(params as SampleParams, { signal }));
    case 'roots/list':
      return roots && (async (_, signal) => ({ roots: typeof roots === 'function' ? await roots({ signal }) : roots }));
    default:
      return undefined;
  }
}

function modesOf({ elicitModes = ['form'] }: InputHandlers) {
  return elicitModes;
}
