// Serves clients of 2026-07-28: each request describes itself and is served independently. Questions to the client are
// results, and changes are sent to the requests that listen for them.

import { metaOf } from '../../base/json-object.ts';
import type { InboundCall } from '../../wire/jsonrpc/inbound.ts';
import { type SharedMembers, SharingResult } from '../../wire/jsonrpc/message-text.ts';
import { asResult } from '../client/tolerated-results.ts';
import { readHandle } from '../handles.ts';
import { CALL_OPTIONS, type CallLimits, SERVER_INFO } from '../meta.ts';
import { isIn } from '../methods.ts';
import { methodNotFound } from '../protocol-errors.ts';
import { modernRevisions, NEWEST_MODERN } from '../revisions.ts';
import type { ClientFacts, ClientIdentity, Params, Result, Service, ServiceFacts } from '../service.ts';
import type { CacheHints, Implementation } from '../types.ts';
import { takeCallOptions } from './call-options.ts';
import type { ClientObserver } from './client-observer.ts';
import { isBare, modernResult, sharedByResults } from './envelope.ts';
import { ModernCaller } from './modern-caller.ts';
import { ModernSubscriptions } from './modern-subscriptions.ts';
import type { Notifier } from './notifier.ts';
import { serviceRequest } from './service-request.ts';
import type { SuspendedCalls } from './suspended-calls.ts';

/** The state that the requests of one connection share. Over HTTP each request has its own. */
export class ModernConnection {
  readonly identity: ClientIdentity;
  readonly notifier: Notifier;
  /** Whether messages are sent as text. */
  readonly writesText: boolean;
  readonly observer: ClientObserver | undefined;
  /** The client as its last request described it. */
  client: ClientFacts | undefined;
  /** Requests that listen for changes; most connections have none. */
  subscriptions: ModernSubscriptions | undefined;

  constructor(identity: ClientIdentity, notifier: Notifier, writesText: boolean, observer?: ClientObserver) {
    this.identity = identity;
    this.notifier = notifier;
    this.writesText = writesText;
    this.observer = observer;
  }

  /** Answers each open subscription. */
  async endSubscriptions(): Promise<void> {
    await this.subscriptions?.endAll();
  }
}

export class ModernEra {
  readonly #service: Service;
  readonly #suspended: SuspendedCalls;
  readonly #cache: Required<CacheHints>;
  /** The info of the service, from its last description. */
  #info: Implementation | undefined;
  /** The members that most results have in addition. Used only for channels that write text. */
  #shared: SharedMembers | undefined;

  constructor(service: Service, suspended: SuspendedCalls, cache: Required<CacheHints>) {
    this.#service = service;
    this.#suspended = suspended;
    this.#cache = cache;
  }

  /** `client` is the client as the request describes it. */
  serve(
    method: string,
    params: Params,
    inbound: InboundCall,
    client: ClientFacts,
    connection: ModernConnection,
  ): Result | Promise<Result> {
    connection.client = client;
    connection.observer?.introduced(client);
    const result = this.#result(method, params, inbound, client, connection);
    // Servers of older revisions may send any value, which has no place for the members of this revision.
    const dressed = (settled: Result) => this.#dressed(method, asResult(settled, method), connection.writesText);
    return result instanceof Promise ? result.then(dressed) : dressed(result);
  }

  #result(
    method: string,
    params: Params,
    inbound: InboundCall,
    client: ClientFacts,
    connection: ModernConnection,
  ): Result | Promise<Result> {
    switch (method) {
      case 'server/discover':
        return this.#described(discovered);
      case 'subscriptions/listen':
        connection.subscriptions ??= new ModernSubscriptions(this.#service, connection.notifier);
        return connection.subscriptions.listen(params, inbound, client);
    }
    // Another host may pass requests of clients of earlier revisions.
    if (!isIn(method, NEWEST_MODERN) && !isIn(method, client.revision))
      throw methodNotFound(method, `removed in ${NEWEST_MODERN}`);
    const { notifier, observer } = connection;
    // A handle names a call that is suspended elsewhere: the service passes the request to the owner of that call.
    if (params.requestState !== undefined && !readHandle(params.requestState)) {
      return this.#suspended.resume(inbound, client, notifier, observer);
    }
    const meta = params._meta as Params;
    let options: CallLimits | undefined;
    if (meta[CALL_OPTIONS] !== undefined) ({ params, options } = takeCallOptions(params, meta));
    const caller = new ModernCaller(inbound, client, notifier, options, observer);
    return this.#suspended.run(caller, serviceRequest(this.#service, method, params, caller));
  }

  #dressed(method: string, result: Result, writesText: boolean): Result | Promise<Result> {
    if (writesText && this.#shared && isBare(result, method))
      return new SharingResult(result, this.#shared) as unknown as Result;
    // A result from a modern server behind the service already names its sender.
    const named = metaOf(result)?.[SERVER_INFO] !== undefined;
    if (named || this.#info) return modernResult(result, method, this.#info, this.#cache);
    const described = this.#described(({ info }) => modernResult(result, method, info, this.#cache));
    // The result stays valid if the service is lost afterwards.
    return described instanceof Promise
      ? described.catch(() => modernResult(result, method, undefined, this.#cache))
      : described;
  }

  #described<T>(use: (facts: ServiceFacts) => T): T | Promise<T> {
    const known = (facts: ServiceFacts) => {
      if (facts.info !== this.#info) this.#shared = sharedByResults(facts.info);
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
