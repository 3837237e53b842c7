// The messages in a response that passes through: one JSON text, or the events of a stream. Each chunk is read after it was forwarded.

import type { IncomingMessage } from 'node:http';
import { PartList } from '../../base/part-list.ts';
import { EventStream } from '../../transport/http/event-stream.ts';
import type { ExchangeObserver } from '../../transport/wire.ts';

/** What is longer is forwarded, and not shown. */
export const MOST_SEEN_BYTES = 16 * 1024 * 1024;

const nothing = new Uint8Array(0);

export interface SeenBody {
  chunk(bytes: Buffer): void;
  end(): void;
}

export function isStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

export function seenBody(answer: IncomingMessage, seen: ExchangeObserver, tooLong: (bytes: number) => void): SeenBody {
  return isStream(answer) ? events(seen, tooLong) : whole(seen, tooLong);
}

function events(seen: ExchangeObserver, tooLong: (bytes: number) => void): SeenBody {
  const stream = new EventStream(
    {
      data: (chunk, start, end) => seen.received(chunk, start, end),
      other: () => undefined,
      id: () => undefined,
      retry: () => undefined,
      tooLong,
    },
    MOST_SEEN_BYTES,
  );
  return { chunk: (bytes) => stream.push(bytes), end: () => undefined };
}

function whole(seen: ExchangeObserver, tooLong: (bytes: number) => void): SeenBody {
  const parts = new PartList(MOST_SEEN_BYTES);
  let length = 0;
  return {
    chunk(bytes) {
      length += bytes.length;
      if (length <= MOST_SEEN_BYTES) parts.append(bytes, 0, bytes.length);
      else parts.clear();
    },
    end() {
      if (length > MOST_SEEN_BYTES) tooLong(length);
      else if (length > 0) seen.received(parts.join(length, nothing, 0, 0), 0, length);
    },
  };
}
