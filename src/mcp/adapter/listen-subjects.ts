// The subjects that one `subscriptions/listen` covers. Created only when its client does not read.

import { SUBSCRIPTION_ID } from '../meta.ts';
import type { Params } from '../service.ts';
import type { Meta, RequestId, SubscriptionFilter } from '../types.ts';
import { UriMap } from '../uri-map.ts';
import { listChangedMethods, UPDATED_METHOD } from '../watchers.ts';
import type { Subject } from './notifier.ts';

export class ListenSubjects {
  readonly #lists: ReadonlyMap<string, Subject>;
  readonly #resources = new UriMap<Subject>();

  constructor(request: RequestId, { resourceSubscriptions = [] }: SubscriptionFilter) {
    const _meta: Meta = { [SUBSCRIPTION_ID]: request };
    this.#lists = new Map(listChangedMethods.map((method) => [method, { method, params: { _meta } }]));
    for (const uri of resourceSubscriptions) {
      this.#resources.set(uri, { method: UPDATED_METHOD, params: { uri, _meta } });
    }
  }

  *[Symbol.iterator](): Iterator<Subject> {
    yield* this.#lists.values();
    yield* this.#resources.values();
  }

  /** For a part of several resources, returns the one with the longest URI. */
  find(method: string, params: Params | undefined): Subject | undefined {
    if (method !== UPDATED_METHOD) return this.#lists.get(method);
    let longest: [uri: string, Subject] | undefined;
    for (const found of this.#resources.containing(String(params?.uri))) {
      if (!longest || found[0].length > longest[0].length) longest = found;
    }
    return longest?.[1];
  }
}
