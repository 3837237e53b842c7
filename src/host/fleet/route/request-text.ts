// Encodes a request for another node: a request of 2026-07-28 that also carries this node's identifier of the client.

import { fromRpcError } from '../../../base/error-json.ts';
import { PeerError, RpcError, type UsageError } from '../../../base/errors.ts';
import type { ClientOptions } from '../../../mcp/client/options.ts';
import { ClientEnvelopes } from '../../../mcp/client/session/client-envelopes.ts';
import { clientCapabilities } from '../../../mcp/client/session/inputs.ts';
import { makeEnvelope } from '../../../mcp/client/session/modern-session.ts';
import { LOG_LEVEL, type RequestEnvelope } from '../../../mcp/meta.ts';
import { ownInfo } from '../../../mcp/own-info.ts';
import { isModernRevision, NEWEST_MODERN } from '../../../mcp/revisions.ts';
import type { ClientFacts, Params } from '../../../mcp/service.ts';
import type { JsonRpcErrorResponse, JsonRpcMessage } from '../../../wire/jsonrpc/message.ts';
import { messageText, OwnRequest, SharingRequest } from '../../../wire/jsonrpc/message-text.ts';
import { MessageFault, type ParseOptions, parseMessage } from '../../../wire/jsonrpc/parse.ts';
import { CALLER, type CallerRecord } from '../call-protocol.ts';
import { type Payload, payloadOf } from '../parts.ts';
import type { FleetCall } from './call.ts';

type NodeEnvelope = RequestEnvelope & { [CALLER]?: CallerRecord };

export class RequestTexts {
  readonly own: NodeEnvelope;
  readonly #options: ClientOptions;
  readonly #envelopes = new ClientEnvelopes((client) => this.#envelopeOf(client));

  constructor(options: ClientOptions) {
    this.#options = options;
    this.own = this.#make({});
  }

  of({ id, method, params, caller }: FleetCall): Payload | UsageError {
    const text = messageText(
      caller && !caller.wantsProgress && params._meta === undefined
        ? new SharingRequest(id, method, params, this.#envelopes.of(caller.client))
        : new OwnRequest(id, method, this.#params(params, id, caller)),
    );
    return typeof text === 'string' ? payloadOf(text) : text;
  }

  ofNotification(method: string, params: Params = {}, client: ClientFacts): string | UsageError {
    return messageText({ jsonrpc: '2.0', method, params: this.#envelopes.added(params, client) });
  }

  #params(params: Params, id: number, caller: FleetCall['caller']): Params {
    if (!caller) return { ...params, _meta: this.own };
    const enveloped = this.#envelopes.added(params, caller.client);
    const { progressToken: _, ...meta } = enveloped._meta as Params;
    return { ...enveloped, _meta: caller.wantsProgress ? { ...meta, progressToken: id } : meta };
  }

  /** Declares the handlers of the host too: they answer questions that the client of a request cannot. */
  #make({ capabilities, info, logLevel }: Partial<ClientFacts>): NodeEnvelope {
    const own = this.#options;
    const declared = { ...clientCapabilities(own, 'modern'), ...capabilities };
    const envelope: NodeEnvelope = makeEnvelope(NEWEST_MODERN, info ?? own.info ?? ownInfo, declared);
    if (logLevel !== undefined) envelope[LOG_LEVEL] = logLevel;
    return envelope;
  }

  #envelopeOf(client: ClientFacts): NodeEnvelope {
    const { identity, revision } = client;
    const { id, principal, affinity } = identity;
    const named = { id, principal, affinity, ...(!isModernRevision(revision) && { revision }) };
    return { ...this.#make(client), [CALLER]: named };
  }
}

/** The message from another node, or why it cannot be used. */
export function readMessage(
  { method, maxAnswerBytes }: FleetCall,
  text: string,
  bytes: number,
  parsing: ParseOptions,
): JsonRpcMessage | PeerError {
  if (bytes > maxAnswerBytes) {
    const message = `${bytes} bytes are over the limit of ${maxAnswerBytes} bytes (maxFrameBytes)`;
    return unreadable('FRAME_TOO_LONG', method, message);
  }
  const parsed = parseMessage(text, parsing);
  return parsed instanceof MessageFault ? unreadable(parsed.code, method, parsed.message) : (parsed as JsonRpcMessage);
}

export function errorIn({ error: { code, message, data } }: JsonRpcErrorResponse): Error {
  return fromRpcError(new RpcError(code, String(message), data)) as Error;
}

export function wrongId(method: string): PeerError {
  return new PeerError('MESSAGE_INVALID', `The answer to ${method} has the id of another request`);
}

function unreadable(code: PeerError['code'], method: string, why: string): PeerError {
  return new PeerError(code, `The answer to ${method} could not be read: ${why}`, {
    hint: 'Raise "maxFrameBytes" or "maxFrameValues" in the entry of the server, or request less.',
  });
}
