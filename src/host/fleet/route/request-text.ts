// The message of a request for another node: a request of 2026-07-28 that also names its client as this node identifies it.

import type { UsageError } from '../../../base/errors.ts';
import type { ClientOptions } from '../../../mcp/client/options.ts';
import { ClientEnvelopes } from '../../../mcp/client/session/client-envelopes.ts';
import { clientCapabilities } from '../../../mcp/client/session/inputs.ts';
import { makeEnvelope } from '../../../mcp/client/session/modern-session.ts';
import { LOG_LEVEL, type RequestEnvelope } from '../../../mcp/meta.ts';
import { ownInfo } from '../../../mcp/own-info.ts';
import { isModernRevision, NEWEST_MODERN } from '../../../mcp/revisions.ts';
import type { ClientFacts, Params } from '../../../mcp/service.ts';
import { messageText, OwnRequest, SharingRequest } from '../../../wire/jsonrpc/message-text.ts';
import { CALLER, type CallerRecord } from '../call-protocol.ts';
import { type Payload, payloadOf } from '../payload.ts';
import type { FleetCall } from './call.ts';

type NodeEnvelope = RequestEnvelope & { [CALLER]?: CallerRecord };

export class RequestTexts {
  /** The envelope of requests of the host itself. */
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
