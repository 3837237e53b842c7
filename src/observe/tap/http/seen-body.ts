// Extracts the messages of a forwarded response: one JSON text, or the events of a stream. Each chunk is read after it was forwarded.

import type { IncomingMessage } from 'node:http';
import { BodyParts } from '../../../base/body-parts.ts';
import { EventStream } from '../../../wire/transport/http/event-stream.ts';
import type { ExchangeObserver } from '../../../wire/wire.ts';

/** Longer bodies and events are forwarded but not shown. */
export const MOST_SEEN_BYTES = 16 * 1024 * 1024;

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
  const body = new BodyParts(MOST_SEEN_BYTES);
  return {
    chunk: (bytes) => void body.add(bytes),
    end() {
      const { bytes } = body;
      if (bytes > MOST_SEEN_BYTES) tooLong(bytes);
      else if (bytes > 0) seen.received(body.whole(), 0, bytes);
    },
  };
}
