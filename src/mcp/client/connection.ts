// The connection that a client owns, besides the service that answers its requests.

import type { ClientChannel } from './options.ts';
import type { Warnings } from './warnings.ts';

/** The connection of a client, if it owns one. */
export interface Connection<T extends ClientChannel> {
  transport?: T;
  link: ClientLink;
  warnings?: Warnings;
}

/** The part of a connection that a client uses besides the service. */
export interface ClientLink {
  onclose: ((cause: Error | undefined) => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  readonly isClosed: boolean;
  /** Whether the server waits for the answer to a question. */
  readonly isAsked?: boolean;
  close(): Promise<void>;
}
