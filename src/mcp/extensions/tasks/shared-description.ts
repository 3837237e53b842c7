// Each request of 2026-07-28 describes its client, and each description is parsed separately. To save memory, the tasks of one client
// share a description as long as it does not change.

import { metaOf } from '../../../base/json-object.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO } from '../../meta.ts';
import type { ClientFacts, Params } from '../../service.ts';

/** Longer descriptions are not shared: the last one is kept. */
const MOST_CHARS = 4096;

export class SharedDescription {
  #last: { readonly text: string; readonly facts: ClientFacts } | undefined;

  /** Returns equal facts. Equal values replace those in the parameters of the request too, which handlers may read. */
  of(facts: ClientFacts, params: Params | undefined): ClientFacts {
    const { capabilities, info, identity, revision, logLevel } = facts;
    const text = JSON.stringify([capabilities, info]);
    if (text.length > MOST_CHARS) return facts;
    if (this.#last?.text !== text) this.#last = { text, facts };
    const shared = this.#last.facts;
    const meta = metaOf(params);
    if (meta?.[CLIENT_CAPABILITIES] === capabilities) meta[CLIENT_CAPABILITIES] = shared.capabilities;
    if (meta && info !== undefined && meta[CLIENT_INFO] === info) meta[CLIENT_INFO] = shared.info;
    const isSame = identity === shared.identity && revision === shared.revision && logLevel === shared.logLevel;
    return isSame ? shared : { ...facts, capabilities: shared.capabilities, info: shared.info };
  }
}
