// Answers questions from a server in the same way in both eras: by the caller of the request that caused the question, or
// by the handlers of the connection.

import { RpcCode, RpcError } from '../../../base/errors.ts';
import { pause } from '../../../base/wait.ts';
import type { RequestHandler } from '../../../wire/jsonrpc/inbound.ts';
import type { Peer } from '../../../wire/jsonrpc/peer.ts';
import { idInMessage, legacyExtensions } from '../../extensions/extension.ts';
import { methodsOfMcp, questionMethods } from '../../methods.ts';
import { type AskedClient, missingFor } from '../../missing-capability.ts';
import { type Era, NEWEST_MODERN } from '../../revisions.ts';
import type { Caller } from '../../service.ts';
import type { ClientCapabilities, ElicitParams, InputRequest, InputResponse, SampleParams } from '../../types.ts';
import type { ClientOptions, InputHandlers } from '../options.ts';
import type { Warn } from '../warnings.ts';
import type { QuestionGate } from './question-gate.ts';

/** Any request; only those of `InputRequest` are supported. */
export type AskedInput = { method: string; params?: object };

type InputCapability = 'elicitation' | 'sampling' | 'roots';

function capabilityOf(method: string): InputCapability | undefined {
  return questionMethods.includes(method) ? (methodsOfMcp.get(method)!.capability as InputCapability) : undefined;
}

/** Capabilities whose members MCP does not define. */
export const opaqueCapabilities = ['extensions', 'experimental'] as const;

/** A legacy server is given the capabilities of all clients of its session once, when it is initialized. */
export function legacyCapabilities(options: ClientOptions): ClientCapabilities {
  const own = options.isAnswered?.() === false ? {} : clientCapabilities(options, 'legacy');
  if (!options.shared) return own;
  const declared = { ...options.shared.capabilities, ...own };
  for (const name of [...questionMethods.map((method) => capabilityOf(method)!), ...opaqueCapabilities]) {
    const both = { ...options.shared.capabilities[name], ...own[name] };
    if (declared[name]) Object.assign(declared, { [name]: both });
  }
  return declared;
}

/** A handler declares its capability. Modern clients cannot announce changed roots. */
export function clientCapabilities(handlers: InputHandlers, era: Era): ClientCapabilities {
  const { elicit, elicitModes = ['form'], sample, roots } = handlers;
  const capabilities =
    handlers.capabilities && era === 'legacy' ? legacyExtensions(handlers.capabilities) : handlers.capabilities;
  return {
    ...capabilities,
    ...(elicit && { elicitation: Object.fromEntries(elicitModes.map((mode) => [mode, {}])) }),
    ...(sample && { sampling: { ...capabilities?.sampling } }),
    ...(roots && { roots: era === 'legacy' ? { listChanged: true } : {} }),
  };
}

/** Legacy: the server sends requests, which do not name the request that they belong to. */
export function answerRequests(
  peer: Peer,
  options: ClientOptions,
  declared: ClientCapabilities,
  gate: QuestionGate,
): void {
  for (const method of questionMethods) {
    if (!declared[capabilityOf(method)!]) continue; // the peer answers "method not found"
    const answer: RequestHandler = async (params, { id, signal }) => {
      // The answer to `initialize` may be in the same chunk and not be processed yet.
      if (!gate.mayAsk) await pause(gate.clock, 0, signal);
      if (!gate.mayAsk) throw tooEarly(method, gate.warn);
      const answered = (caller: Caller | undefined, ended: AbortSignal) => {
        caller?.link?.askedBy(id);
        const handlers = options.isAnswered?.() === false ? {} : options;
        return answerInput({ method, params }, caller, handlers, ended);
      };
      const named = idInMessage(params);
      const response = await gate.answer(method, signal, answered, named?.id);
      return named?.withId(response as object) ?? response;
    };
    peer.handle(method, answer, { asks: true });
  }
}

/** "The server SHOULD NOT send requests other than pings and logging before receiving the initialized notification." */
function tooEarly(method: string, warn: Warn): RpcError {
  warn('asked-too-early', `The server sent ${method} before a session was open; it was refused`);
  return new RpcError(
    RpcCode.invalidRequest,
    `${method} arrived before the session was open: until notifications/initialized a server may only ping and log`,
  );
}

/** Passes the question to the caller if its client declared the capability, otherwise to the handlers of the connection. */
export function answerInput(
  asked: AskedInput,
  caller: Caller | undefined,
  handlers: InputHandlers,
  signal: AbortSignal,
  name?: string,
): Promise<InputResponse> {
  const refused = caller && notDeclared(asked, caller.client);
  if (caller && !refused) return caller.ask(asked as InputRequest, name, signal);
  return askHandlers(asked, handlers, signal, refused);
}

/** `refused` is the reason why the caller cannot be asked. */
export async function askHandlers(asked: AskedInput, handlers: InputHandlers, signal: AbortSignal, refused?: RpcError) {
  const byHandlers = refusal(asked, undefined, handlers);
  if (byHandlers) throw refused ?? byHandlers;
  return (await handlerOf(asked.method, handlers)!(asked.params ?? {}, signal)) as InputResponse;
}

/** The error for a question that neither the caller nor the handlers can answer. */
export function refusal(asked: AskedInput, caller: Caller | undefined, handlers: InputHandlers): RpcError | undefined {
  if (caller && !notDeclared(asked, caller.client)) return undefined;
  const own = handlerOf(asked.method, handlers) ? clientCapabilities(handlers, 'modern') : {};
  return notDeclared(asked, { capabilities: own, revision: NEWEST_MODERN });
}

/** The error that the specification defines for a question whose capability the client did not declare. */
function notDeclared({ method, params }: AskedInput, client: AskedClient): RpcError | undefined {
  const capability = capabilityOf(method);
  if (!capability || !client.capabilities[capability]) {
    return new RpcError(RpcCode.methodNotFound, `${method} was not declared by this client`);
  }
  const question = { method, params: params ?? {} } as InputRequest;
  const missing = missingFor(question, client);
  if (!missing) return undefined;
  const [mode] = Object.keys(missing.elicitation ?? {});
  const what = mode === undefined ? 'Sampling with tools' : `Elicitation mode "${mode}"`;
  return new RpcError(RpcCode.invalidParams, `${what} was not declared by this client`);
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
