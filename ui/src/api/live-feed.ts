// The live stream of events, over one connection at a time. When the connection breaks, the caller decides when to connect again.

import type { LiveMessages } from '../../../src/app/inspector/api.ts';
import { Inbox } from '../state/inbox.ts';
import { secretsShown } from '../state/secrets.ts';
import { token } from './token.ts';

export type LiveHandlers = { [name in keyof LiveMessages]: (data: LiveMessages[name]) => void };

const inbox = new Inbox();

/** Settles when the connection ends. `after`: the sequence number of the newest known event. */
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
      source.close(); // the retry of EventSource would use the old `after`
      inbox.put(resolve); // resolves after all events that were received before the end
    };
  });
}
