// Connections to the server under test, one for each process run or connection of the recording.

import { StandpipeError } from '../../base/errors.ts';
import { isObject, type JsonObject, metaOf } from '../../base/json-object.ts';
import { AskingTools } from '../../mcp/client/session/asking-tools.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL } from '../../mcp/meta.ts';
import { isModernRevision, NEWEST_LEGACY, NEWEST_MODERN, type Revision, revisionsOfMcp } from '../../mcp/revisions.ts';
import { type ClientFacts, newClient, type Params, type Service, type ServiceFacts } from '../../mcp/service.ts';
import type { ClientCapabilities, Implementation, LogLevel, Root } from '../../mcp/types.ts';
import type { Conversation } from '../replay/conversation.ts';
import { messageOf } from '../replay/diff-sessions.ts';
import { factsIn, type RecordedFacts } from '../replay/recorded-facts.ts';
import type { RecordedSession } from '../replay/recorded-session.ts';
import type { VerifyOptions, VerifyTarget } from './options.ts';

export interface Connection {
  readonly service: Service;
  readonly facts: ServiceFacts;
  readonly client: ClientFacts;
  readonly revision: Revision;
  readonly isClosed: () => boolean;
  /** Resolves when the server has asked for the roots. */
  readonly rootsAsked: Promise<void>;
  close(): Promise<void>;
}

/** How the recorded client introduced itself, and what the server answered. */
export interface RecordedOpening {
  readonly capabilities: ClientCapabilities;
  readonly info: Implementation | undefined;
  readonly facts: RecordedFacts | undefined;
  readonly method: string | undefined;
}

const DEFAULT_TIMEOUT_MS = 60_000;

export async function readOpening(session: RecordedSession, { handshakes }: Conversation, wire: number) {
  const handshake = handshakes.get(wire) ?? handshakes.values().next().value;
  const request = await messageOf(session, handshake?.request);
  const answer = await messageOf(session, handshake?.answer);
  const opening: RecordedOpening = {
    ...clientIn(isObject(request?.params) ? request.params : {}),
    facts: handshake && isObject(answer?.result) ? factsIn(handshake.method, answer.result) : undefined,
    method: handshake?.method,
  };
  return opening;
}

/** A handshake of earlier revisions has the facts about the client as parameters; requests of 2026-07-28 have them in `_meta`. */
function clientIn(params: Params): Pick<RecordedOpening, 'capabilities' | 'info'> {
  const meta = metaOf(params) ?? {};
  const capabilities = params.capabilities ?? meta[CLIENT_CAPABILITIES];
  const info = params.clientInfo ?? meta[CLIENT_INFO];
  return {
    capabilities: (isObject(capabilities) ? capabilities : {}) as ClientCapabilities,
    info: isImplementation(info) ? info : undefined,
  };
}

function isImplementation(info: unknown): info is Implementation & JsonObject {
  return isObject(info) && typeof info.name === 'string' && typeof info.version === 'string';
}

/** The client of one request: those of 2026-07-28 describe it themselves. */
export function clientOfRequest(client: ClientFacts, params: Params): ClientFacts {
  const meta = metaOf(params);
  if (meta?.[CLIENT_CAPABILITIES] === undefined) return client;
  const { capabilities, info = client.info } = clientIn({ _meta: meta });
  return { ...client, capabilities, info, logLevel: meta[LOG_LEVEL] as LogLevel | undefined };
}

/** The parameters without what a client adds for its connection. */
export function withoutConnection({ _meta, ...params }: Params): Params {
  if (!isObject(_meta)) return params;
  const left = Object.entries(_meta).filter(
    ([name]) => name !== 'progressToken' && !name.startsWith('io.modelcontextprotocol/'),
  );
  return left.length > 0 ? { ...params, _meta: Object.fromEntries(left) } : params;
}

export async function openConnection(
  target: VerifyTarget,
  opening: RecordedOpening,
  roots: () => Promise<JsonObject | undefined>,
  options: VerifyOptions,
): Promise<Connection> {
  const { capabilities, info, facts } = opening;
  const revision = options.revision ?? knownRevision(facts?.revision);
  const client = { identity: newClient(), capabilities, info, logLevel: undefined };
  let asked: () => void = () => undefined;
  const rootsAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  if ('request' in target) {
    const used: ClientFacts = { ...client, revision: revision ?? NEWEST_MODERN };
    return {
      service: target,
      facts: await target.describe(used),
      client: used,
      revision: used.revision,
      isClosed: () => false,
      rootsAsked: Promise.resolve(), // a service asks for them during requests only
      close: async () => target.gone?.(used.identity),
    };
  }
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal, clock } = options;
  const rootsOf = async () => {
    const found = await roots();
    asked();
    return (found?.roots ?? []) as Root[];
  };
  const clientOptions = {
    ...{ revision, signal, clock },
    ...(info && { info }),
    ...(capabilities.roots && { roots: rootsOf }),
    // Exactly the recorded capabilities are declared, and no extensions besides.
    shared: { capabilities, asking: new AskingTools() },
    startupTimeoutMs: timeoutMs,
    requestTimeoutMs: timeoutMs,
    checkOutput: false,
  };
  const { connect } = await import('../../connect/connect.ts');
  const opened = await ('command' in target ? connect(target, clientOptions) : connect(target, clientOptions));
  let isClosed = false;
  void opened.closed.then(() => {
    isClosed = true;
  });
  return {
    service: opened.service,
    facts: opened.server,
    // A recorded client may have declared more than its revision defines.
    client: { ...client, revision: isModernRevision(opened.server.revision) ? NEWEST_MODERN : NEWEST_LEGACY },
    revision: opened.server.revision,
    isClosed: () => isClosed,
    rootsAsked,
    close: () => opened.close(),
  };
}

/** The connection ended before or during the request, or never existed. */
export function isLostConnection(error: unknown): error is StandpipeError {
  return error instanceof StandpipeError && lost.has(error.code);
}

const lost: ReadonlySet<string> = new Set([
  ...['OUTCOME_UNKNOWN', 'CONNECTION_CLOSED', 'NOT_SENT', 'STREAM_FAILED', 'PROCESS_EXITED', 'SERVER_UNREACHABLE'],
]);

function knownRevision(revision: string | undefined): Revision | undefined {
  return revisionsOfMcp.find((each) => each === revision);
}
