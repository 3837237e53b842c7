// A service that records its calls and answers with values of the test, for tests that check that data passes unchanged.

import type { Caller, ClientFacts, Params, Result, Service, ServiceFacts, Watcher } from '../../src/mcp/service.ts';
import type { InputRequest, InputResponse } from '../../src/mcp/types.ts';

export class OpaqueService implements Service {
  facts: ServiceFacts = {
    info: { name: 'opaque', version: '1.0.0' },
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: {},
      logging: {},
    },
  };
  readonly requests: { method: string; params: Params }[] = [];
  readonly notifications: { method: string; params: Params | undefined; client: ClientFacts }[] = [];
  readonly watchers = new Set<Watcher>();
  readonly #answer: (caller: Caller, method: string) => Result | Promise<Result>;

  constructor(answer: (caller: Caller, method: string) => Result | Promise<Result> = () => ({})) {
    this.#answer = answer;
  }

  describe(): ServiceFacts | Promise<ServiceFacts> {
    return this.facts;
  }

  request(method: string, params: Params, caller: Caller): Result | Promise<Result> {
    this.requests.push({ method, params });
    return this.#answer(caller, method);
  }

  notify(method: string, params: Params | undefined, client: ClientFacts): void {
    this.notifications.push({ method, params, client });
  }

  async watch(watcher: Watcher): Promise<() => void> {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** Notifies every watcher whose filter has this member. */
  tell(wish: keyof Watcher['filter'], method: string, params: Params | undefined): void {
    for (const watcher of this.watchers) if (watcher.filter[wish] !== undefined) watcher.notified(method, params);
  }
}

/** A question that all revisions have. */
export function sampling(more: Params): InputRequest {
  return { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1, ...more } } as InputRequest;
}

export function sampled(more: Params): InputResponse & Params {
  return { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm', ...more };
}
