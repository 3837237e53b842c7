// The live stream of events. One connection at a time; when it breaks, the owner of the feed decides when to open it again.

import type { LiveMessages } from '../../../src/app/inspector/api.ts';
import { Inbox } from '../state/inbox.ts';
import { secretsShown } from '../state/secrets.ts';
import { token } from './token.ts';

export type LiveHandlers = { [name in keyof LiveMessages]: (data: LiveMessages[name]) => void };

const inbox = new Inbox();

/** Settles when the connection ends. `after` is the newest event that is known already. */
export function followLive(after: number, handlers: LiveHandlers, onOpen: () => void): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(
      `api/live?${new URLSearchParams({ token, after: String(after), ...(secretsShown && { secrets: 'shown' }) })}`,
    );
    for (const [name, handle] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => {
        const { data } = event as MessageEvent<string>;
        inbox.put(() => handle(JSON.parse(data) as never));
      });
    }
    source.onopen = onOpen;
    source.onerror = () => {
      source.close(); // its own retry would ask for the same `after` again
      inbox.put(resolve); // behind what came before the end
    };
  });
}
