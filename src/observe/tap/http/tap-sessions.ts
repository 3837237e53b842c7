// Assigns HTTP requests to connections: each session is shown as one. Requests without a session, as in 2026-07-28, share one.
// A session begins with `initialize` and gets its id with the response.

import type { Mask } from '../../../base/secrets/mask-values.ts';
import { ObservedRemote } from '../../../wire/transport/http/observed-remote.ts';
import type { FlowSource } from '../../flow/source.ts';
import type { FlowStore } from '../../flow/store.ts';

/** Beyond this number, the oldest session is shown as closed. */
const MOST_SESSIONS = 200;

export interface TapSessionsOptions {
  store: FlowStore;
  /** The source of the first connection. */
  source: FlowSource;
  url: URL;
  /** Hides known secret values. */
  mask: Mask;
  report: (thrown: unknown) => void;
}

const INITIALIZE = /"method"\s*:\s*"initialize"/;
const REVISION = /"protocolVersion"\s*:\s*"([\w-]{1,40})"/;

export class TapSessions {
  readonly #options: TapSessionsOptions;
  readonly #byId = new Map<string, ObservedRemote>();
  #alone: ObservedRemote | undefined;
  #hasBegun = false;

  constructor(options: TapSessionsOptions) {
    this.#options = options;
  }

  /** `to`: the URL of the request. `text`: its body, if it is shown. */
  of(id: string | undefined, to: URL, text: string | undefined): ObservedRemote {
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known) return known;
    const isInitialize = id === undefined && text !== undefined && INITIALIZE.test(text);
    // HTTP+SSE of 2024-11-05 posts to another URL and answers on the stream that is already open.
    const isLegacy = isInitialize && to.href !== this.#options.url.href;
    const session = isInitialize && !isLegacy ? this.#begin() : this.#withoutId();
    const revision = isInitialize ? REVISION.exec(text)?.[1] : undefined;
    if (isInitialize) session.learned({ transport: isLegacy ? 'http+sse' : 'http', revision });
    return session;
  }

  /** Called for the response to a request without a session id. `id`: the session id of the response. */
  answered(session: ObservedRemote, id: string | undefined): void {
    if (session === this.#alone) return;
    if (id === undefined) {
      this.#alone?.disconnected();
      this.#alone = session; // the server has no sessions
      return;
    }
    this.ended(id);
    this.#byId.set(id, session);
    session.learned({ session: id });
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > MOST_SESSIONS) this.ended(oldest!);
  }

  /** Called when the host has ended the session, or the server no longer knows it. */
  ended(id: string, reason?: string): void {
    this.#byId.get(id)?.disconnected(reason);
    this.#byId.delete(id);
  }

  close(): void {
    for (const id of [...this.#byId.keys()]) this.ended(id);
    this.#alone?.disconnected();
  }

  #withoutId(): ObservedRemote {
    this.#alone ??= this.#begin();
    return this.#alone;
  }

  #begin(): ObservedRemote {
    const { store, source, url, mask, report } = this.#options;
    const session = new ObservedRemote(this.#hasBegun ? store.begin(source.server) : source, {}, mask, report);
    this.#hasBegun = true;
    session.connected(url);
    return session;
  }
}
