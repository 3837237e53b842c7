// A client of 2026-07-28: each request describes itself and is served alone. Questions to the client are results, and changes
// are sent to those requests that listen for them.

import type { InboundCall } from '../../jsonrpc/inbound.ts';
import { type SharedMembers, SharingResult } from '../../jsonrpc/message-text.ts';
import { CALL_OPTIONS, type CallOptions, SERVER_INFO } from '../meta.ts';
import { methodNotFound } from '../protocol-errors.ts';
import { modernRevisions, NEWEST_MODERN } from '../revisions.ts';
import type { ClientFacts, ClientIdentity, Params, Result, Service, ServiceFacts } from '../service.ts';
import type { CacheHints, Implementation, Meta } from '../types.ts';
import { takeCallOptions } from './call-options.ts';
import { isBare, modernResult, readEnvelope, sharedByResults } from './envelope.ts';
import { ModernCaller } from './modern-caller.ts';
import { ModernSubscriptions } from './modern-subscriptions.ts';
import type { Notifier } from './notifier.ts';
import { serviceRequest } from './service-request.ts';
import type { SuspendedCalls } from './suspended-calls.ts';

export class ModernEra {
  /** As its last request described it. */
  client: ClientFacts | undefined;
  readonly subscriptions: ModernSubscriptions;
  readonly #identity: ClientIdentity;
  readonly #service: Service;
  readonly #notifier: Notifier;
  readonly #suspended: SuspendedCalls;
  readonly #cache: Required<CacheHints>;
  /** Of the service, since it was last described. */
  #info: Implementation | undefined;
  readonly #writesText: boolean;
  /** Most results have the same members in addition. Only for channels that write text. */
  #shared: SharedMembers | undefined;

  constructor(
    service: Service,
    identity: ClientIdentity,
    notifier: Notifier,
    suspended: SuspendedCalls,
    cache: Required<CacheHints>,
    writesText: boolean,
  ) {
    this.subscriptions = new ModernSubscriptions(service, notifier);
    this.#service = service;
    this.#identity = identity;
    this.#notifier = notifier;
    this.#suspended = suspended;
    this.#cache = cache;
    this.#writesText = writesText;
  }

  serve(method: string, params: Params, inbound: InboundCall): Result | Promise<Result> {
    const meta = params._meta as Params;
    const client = readEnvelope(meta, this.#identity);
    this.client = client;
    const result = this.#result(method, params, meta, inbound, client);
    return result instanceof Promise
      ? result.then((settled) => this.#dressed(method, settled))
      : this.#dressed(method, result);
  }

  #result(
    method: string,
    params: Params,
    meta: Params,
    inbound: InboundCall,
    client: ClientFacts,
  ): Result | Promise<Result> {
    switch (method) {
      case 'server/discover':
        return this.#described(discovered);
      case 'subscriptions/listen':
        return this.subscriptions.listen(params, inbound, client);
      case 'initialize':
      case 'ping':
      case 'logging/setLevel':
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        throw methodNotFound(method, `removed in ${NEWEST_MODERN}`);
    }
    if (params.requestState !== undefined) return this.#suspended.resume(inbound, client, this.#notifier);
    let options: CallOptions | undefined;
    if (meta[CALL_OPTIONS] !== undefined) ({ params, options } = takeCallOptions(params, meta));
    const caller = new ModernCaller(inbound, client, this.#notifier, options);
    return this.#suspended.run(caller, serviceRequest(this.#service, method, params, caller));
  }

  #dressed(method: string, result: Result): Result | Promise<Result> {
    if (this.#shared && isBare(result, method)) return new SharingResult(result, this.#shared) as unknown as Result;
    // A result of a modern server behind the service names its sender itself.
    const named = (result._meta as Meta | undefined)?.[SERVER_INFO] !== undefined;
    if (named || this.#info) return modernResult(result, method, this.#info, this.#cache);
    const described = this.#described(({ info }) => modernResult(result, method, info, this.#cache));
    // A service that is lost by now has answered all the same.
    return described instanceof Promise
      ? described.catch(() => modernResult(result, method, undefined, this.#cache))
      : described;
  }

  #described<T>(use: (facts: ServiceFacts) => T): T | Promise<T> {
    const known = (facts: ServiceFacts) => {
      if (this.#writesText && facts.info !== this.#info) this.#shared = sharedByResults(facts.info);
      this.#info = facts.info;
      return use(facts);
    };
    const facts = this.#service.describe();
    return facts instanceof Promise ? facts.then(known) : known(facts);
  }
}

function discovered({ capabilities, instructions }: ServiceFacts): Result {
  const result = { supportedVersions: [...modernRevisions], capabilities };
  return instructions === undefined ? result : { ...result, instructions };
}
