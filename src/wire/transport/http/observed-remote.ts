// Reports a remote server and the HTTP requests to it to an observer: each request, its response and its end. The transport reports the
// messages in the bodies, which it parses anyway.

import type { ClientRequest, IncomingMessage } from 'node:http';
import { type HeaderValues, headerLines, maskedUrl, shortSession } from '../../../base/secrets/mask-http.ts';
import type { Mask } from '../../../base/secrets/mask-values.ts';
import type { ExchangeObserver, HttpBody, HttpEnd, RemoteFacts, WireObserver } from '../../wire.ts';

export interface SeenRequest {
  url: URL;
  headers: HeaderValues;
  /** The message in the body. */
  text?: string | undefined;
  repeats?: ExchangeObserver | undefined;
}

/** The observer of one transport. Its exceptions do not affect the traffic. */
export class ObservedRemote {
  readonly #observer: WireObserver;
  /** Lower-case names of configured headers. */
  readonly #hidden: ReadonlySet<string>;
  readonly #mask: Mask;
  readonly #report: (thrown: unknown) => void;

  /** `headers`: configured headers, whose values are not reported. `mask` hides known values. */
  constructor(observer: WireObserver, headers: object, mask: Mask, report: (thrown: unknown) => void) {
    this.#observer = observer;
    this.#hidden = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    this.#mask = mask;
    this.#report = report;
  }

  connected(url: URL): void {
    this.#try(() => this.#observer.connected?.(maskedUrl(String(url), this.#mask)));
  }

  /** `session` is the complete id; it is shortened here. */
  learned({ session, ...facts }: RemoteFacts): void {
    const shown = session === undefined ? facts : { ...facts, session: shortSession(session) };
    this.#try(() => this.#observer.learned?.(shown));
  }

  disconnected(reason?: string): void {
    this.#try(() => this.#observer.disconnected?.(reason && this.#mask(reason)));
  }

  /** Must be called before the request is sent. `repeats`: an earlier request with the same message. */
  exchange(request: ClientRequest, { url, headers, text, repeats }: SeenRequest): ExchangeObserver {
    const begin = () =>
      this.#observer.exchange?.({
        method: request.method,
        url: maskedUrl(String(url), this.#mask),
        headers: headerLines(headers, this.#hidden),
        repeats: repeats?.first,
      }) ?? messagesOnly(this.#observer);
    const seen = new Guarded(begin, this.#report);
    if (text !== undefined && !repeats) seen.sent(text);
    watch(request, seen, this.#mask);
    return seen;
  }

  #try(act: () => void): void {
    try {
      act();
    } catch (thrown) {
      this.#report(thrown);
    }
  }
}

class Guarded implements ExchangeObserver {
  #seen: ExchangeObserver | undefined;
  readonly #report: (thrown: unknown) => void;

  constructor(begin: () => ExchangeObserver, report: (thrown: unknown) => void) {
    this.#report = report;
    this.#try(() => {
      this.#seen = begin();
    });
  }

  get first(): number {
    return this.#seen?.first ?? 0;
  }

  sent(text: string): void {
    this.#try(() => this.#seen?.sent(text));
  }

  answered(status: number, headers: string, body: HttpBody): void {
    this.#try(() => this.#seen?.answered(status, headers, body));
  }

  received(chunk: Uint8Array, start: number, end: number): void {
    this.#try(() => this.#seen?.received(chunk, start, end));
  }

  tooLong(bytes: number): void {
    this.#try(() => this.#seen?.tooLong?.(bytes));
  }

  ended(end: HttpEnd, reason?: string): void {
    this.#try(() => this.#seen?.ended(end, reason));
  }

  #try(act: () => void): void {
    try {
      act();
    } catch (thrown) {
      this.#report(thrown);
    }
  }
}

function watch(request: ClientRequest, seen: ExchangeObserver, mask: Mask): void {
  let isOurs = false;
  let failure: Error | undefined;
  let response: IncomingMessage | undefined;
  const failed = (error: Error) => {
    failure ??= error;
  };
  const destroy = request.destroy;
  request.destroy = (error) => {
    isOurs ||= failure === undefined;
    return destroy.call(request, error);
  };
  request.on('error', failed);
  request.on('response', (incoming) => {
    response = incoming;
    const destroyResponse = incoming.destroy;
    incoming.destroy = (error) => {
      // Node.js also destroys the response, with ECONNRESET, when the connection ends.
      if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ECONNRESET') isOurs ||= failure === undefined;
      return destroyResponse.call(incoming, error);
    };
    incoming.on('error', failed);
    seen.answered(incoming.statusCode ?? 0, headerLines(incoming.headers), bodyOf(incoming));
  });
  request.on('close', () => {
    if (response?.complete) seen.ended('complete');
    else if (isOurs) seen.ended('aborted');
    else seen.ended('cut', mask(failure?.message ?? 'the connection ended'));
  });
}

function bodyOf({ headers, statusCode }: IncomingMessage): HttpBody {
  const type = headers['content-type'] ?? '';
  if (statusCode === 204 || headers['content-length'] === '0') return 'none';
  if (/^text\/event-stream\b/i.test(type)) return 'stream';
  if (/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return 'json';
  return type === '' ? 'none' : 'other';
}

/** Adapter for an observer that handles only messages. */
function messagesOnly(observer: WireObserver): ExchangeObserver {
  return {
    first: 0,
    sent: (text) => observer.sent?.(text),
    answered: () => undefined,
    received(chunk, start, end) {
      if (observer.receivedSpan) observer.receivedSpan(chunk, start, end, 0);
      else observer.received?.(chunk.subarray(start, end), 0);
    },
    ended: () => undefined,
  };
}
