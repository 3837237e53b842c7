// The subscription of one watcher to filter members that MCP does not define. Members with ids go to the instances that assigned the
// ids, all others to the instance of the client. It ends as a whole when one of its streams ends.

import { PeerError, RpcError } from '../../../base/errors.ts';
import { filterFacts, idsAt, withHandle } from '../../../mcp/extensions/assigned-ids.ts';
import type { Caller, Params, Watcher } from '../../../mcp/service.ts';
import { acceptedBy } from '../../services/merged-extensions.ts';
import { ACKNOWLEDGED, FleetCall, type FleetCallOwner, LISTEN, type Unanswered } from './call.ts';
import { errorIn } from './request-text.ts';
import type { RoutedInstance } from './routing-table.ts';
import type { ServerRequests } from './server-requests.ts';

interface Stream {
  acknowledged(): void;
  refused(error: unknown): void;
  stop(): void;
}

export class OwnSubscription implements FleetCallOwner {
  readonly #requests: ServerRequests;
  readonly #watcher: Watcher;
  readonly #ended: () => void;
  readonly #streams = new Map<RoutedInstance, Stream>();
  #accepted: Params = {};
  #isOver = false;

  /** `ended`: called once, if a stream ends that was not stopped. */
  constructor(requests: ServerRequests, watcher: Watcher, ended: () => void) {
    this.#requests = requests;
    this.#watcher = watcher;
    this.#ended = ended;
  }

  async open(): Promise<void> {
    const { further = {} } = this.#watcher.filter;
    const others = Object.fromEntries(Object.entries(further).filter(([member]) => !filterFacts(member)?.hasIds));
    const home =
      Object.keys(others).length === 0 ? undefined : this.#requests.instanceOf(this.#watcher.client?.identity);
    const parts = this.#requests.instances.flatMap((instance): [RoutedInstance, Params][] => {
      const members = { ...idsAt(instance.id, further), ...(instance === home && others) };
      return Object.keys(members).length > 0 ? [[instance, members]] : [];
    });
    try {
      await Promise.all(parts.map(([instance, members]) => this.#open(instance, members)));
    } catch (error) {
      this.stop();
      throw error;
    }
    this.#watcher.accepted?.(this.#accepted);
  }

  stop(): void {
    this.#isOver = true;
    for (const stream of this.#streams.values()) stream.stop();
    this.#streams.clear();
  }

  received(call: FleetCall, text: string, data: Uint8Array): void {
    const message = this.#requests.read(call, text, data);
    const instance = call.instance!;
    if (!message) return;
    if (!('method' in message)) {
      this.#requests.calls.close(call);
      return this.#over(instance, 'error' in message ? errorIn(message) : undefined);
    }
    if (message.method !== ACKNOWLEDGED) return this.#notified(instance, message.method, message.params);
    this.#agreed(instance, message.params?.notifications as Params | undefined);
    this.#streams.get(instance)?.acknowledged();
  }

  unanswered(call: FleetCall, _outcome: Unanswered, why: string): void {
    this.#over(call.instance!, new PeerError('NOT_SENT', `The subscription did not begin: ${why}`));
  }

  failed(call: FleetCall, error: Error): void {
    this.#requests.calls.close(call);
    this.#over(call.instance!, error);
  }

  #open(instance: RoutedInstance, members: Params): Promise<void> {
    const { calls } = this.#requests;
    const local = calls.local(instance);
    if (!local) return this.#openFar(instance, members);
    const { client } = this.#watcher;
    const watcher = {
      ...(client && { client }),
      accepted: (agreed: Params) => this.#agreed(instance, agreed),
      notified: (method: string, params: Params | undefined) => this.#notified(instance, method, params),
      ended: () => this.#over(instance, undefined),
    };
    return local.watch({ further: members }, watcher).then(({ stop }) => {
      if (this.#isOver) return stop();
      this.#streams.set(instance, { acknowledged: () => undefined, refused: () => undefined, stop });
    });
  }

  #openFar(instance: RoutedInstance, members: Params): Promise<void> {
    const { calls, maxAnswerBytes } = this.#requests;
    const { client } = this.#watcher;
    const caller = client && ({ client, wantsProgress: false } as Caller);
    const params = { notifications: members };
    const call = new FleetCall(this, { id: 0, method: LISTEN, params, caller, maxAnswerBytes });
    call.payload = this.#requests.payloadOf(call);
    return new Promise((acknowledged, refused) => {
      this.#streams.set(instance, { acknowledged, refused, stop: () => calls.cancel(call) });
      void calls.send(call, instance, false);
    });
  }

  #agreed(instance: RoutedInstance, members: Params = {}): void {
    this.#accepted = acceptedBy(instance.id, members, this.#accepted);
  }

  #notified(instance: RoutedInstance, method: string, params: Params | undefined): void {
    if (!this.#isOver) this.#watcher.notified(method, withHandle(instance.id, method, params));
  }

  #over(instance: RoutedInstance, error: unknown): void {
    const stream = this.#streams.get(instance);
    if (this.#isOver) return;
    stream?.refused(error ?? new RpcError(-32603, 'The server ended the subscription'));
    this.stop();
    this.#ended();
  }
}
