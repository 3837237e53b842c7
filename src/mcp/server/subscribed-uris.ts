// The resources that a legacy client has subscribed to, one by one. Bounded in number and in length: it decides on both.

import { invalidParams } from '../protocol-errors.ts';

const MOST_URIS = 10_000;
const MOST_CHARS = 16 * 1024 * 1024;

export class SubscribedUris {
  readonly #uris = new Set<string>();
  #chars = 0;

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  add(uri: string): void {
    if (this.#uris.has(uri)) return;
    if (this.#uris.size >= MOST_URIS) {
      throw invalidParams(`Too many subscriptions: ${MOST_URIS} are open; unsubscribe from one first`);
    }
    if (this.#chars + uri.length > MOST_CHARS) {
      const message = `the URIs of those that are open have ${this.#chars} characters, this one ${uri.length}`;
      throw invalidParams(
        `Subscriptions too long: ${message}, and ${MOST_CHARS} may be held; unsubscribe from one first`,
      );
    }
    this.#uris.add(uri);
    this.#chars += uri.length;
  }

  delete(uri: string): void {
    if (this.#uris.delete(uri)) this.#chars -= uri.length;
  }
}
