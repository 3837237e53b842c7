// Posts OTLP in its JSON form to a collector. Spans wait in a queue of bounded length, and those that are not delivered are counted and
// reported. Nothing here delays or fails a request.

import type { Clock, Timer } from '../../base/clock.ts';
import { toError } from '../../base/errors.ts';
import { isObject } from '../../base/json-object.ts';
import type { Destination } from './settings.ts';

export interface SenderOptions {
  readonly clock: Clock;
  /** Informs the user. */
  note(text: string): void;
}

/** Statuses after which the same data may be sent again. */
const temporary: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const MOST_REPLY_CHARS = 64 * 1024;
/** Longest part of a collector's text in a message. */
const LONGEST_REASON = 200;
/** Time for the last requests when the host ends. */
const LAST_REQUESTS_MS = 3_000;

type Sent = { readonly rejected: number } | { readonly failed: string; readonly again: boolean };

/** One address of a collector. Reports once that it fails, and that it works again. */
export class Destinated {
  readonly #to: Destination;
  readonly #options: SenderOptions;
  readonly #ending = new AbortController();
  isFailing = false;

  constructor(to: Destination, options: SenderOptions) {
    this.#to = to;
    this.#options = options;
  }

  /** Requests that are not answered in time from now on are given up. */
  end(): Timer {
    return this.#options.clock.after(LAST_REQUESTS_MS, () => this.#ending.abort(new Error('the host ends')));
  }

  async post(body: object): Promise<Sent> {
    const sent = await this.#post(body);
    const { note } = this.#options;
    if ('failed' in sent) {
      if (!this.isFailing) {
        note(`Cannot send telemetry to ${this.#shown}: ${sent.failed}. Calls of servers are not affected`);
      }
      this.isFailing = true;
    } else if (this.isFailing) {
      this.isFailing = false;
      note(`Telemetry is sent to ${this.#shown} again`);
    }
    return sent;
  }

  /** The query can hold a key. */
  get #shown(): string {
    return this.#to.url.replace(/\?.*/s, '');
  }

  async #post(body: object): Promise<Sent> {
    const { url, headers, timeoutMs } = this.#to;
    const late = new AbortController();
    const timer = this.#options.clock.after(timeoutMs, () => late.abort(new Error(`no answer in ${timeoutMs} ms`)));
    timer.keepAlive(false);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error', // the headers can have credentials for this address
        signal: AbortSignal.any([late.signal, this.#ending.signal]),
      });
      const text = await startOf(response);
      if (!response.ok) {
        const reason = text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_REASON);
        const failed = `status ${response.status}${reason && ` (${reason})`}`;
        return { failed, again: temporary.has(response.status) };
      }
      return { rejected: rejectedIn(text) };
    } catch (error) {
      const { cause, message } = toError(error);
      return { failed: cause === undefined ? message : causeText(cause, message), again: true };
    } finally {
      timer.cancel();
    }
  }
}

/** Reasons of `fetch` are in the cause. An error of several addresses has an empty message and a code. */
function causeText(cause: unknown, message: string): string {
  const { code } = cause as { code?: string };
  return toError(cause).message || code || message;
}

async function startOf({ body }: Response): Promise<string> {
  if (!body) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_REPLY_CHARS) break;
  }
  return text;
}

/** A collector can accept a request and refuse some of its spans. */
function rejectedIn(text: string): number {
  try {
    const reply: unknown = JSON.parse(text);
    const partial = isObject(reply) && isObject(reply.partialSuccess) ? reply.partialSuccess : {};
    const rejected = Number(partial.rejectedSpans ?? partial.rejectedDataPoints ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0; // the answer to JSON should be JSON, but the data was accepted
  }
}

export interface QueueLimits {
  readonly intervalMs: number;
  readonly maxQueued: number;
  readonly maxBatch: number;
}

/** Sends spans in batches. When the queue is full, new spans are dropped. */
export class SpanQueue {
  readonly #to: Destinated;
  readonly #limits: QueueLimits;
  readonly #options: SenderOptions;
  readonly #bodyOf: (spans: readonly object[]) => object;
  readonly #queue: object[] = [];
  #dropped = 0;
  #reported = 0;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    to: Destination,
    limits: QueueLimits,
    options: SenderOptions,
    bodyOf: (spans: readonly object[]) => object,
  ) {
    this.#to = new Destinated(to, options);
    this.#limits = limits;
    this.#options = options;
    this.#bodyOf = bodyOf;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Spans that no collector has got and none will get. */
  get dropped(): number {
    return this.#dropped;
  }

  add(span: object): void {
    if (this.#isClosed || this.#queue.length >= this.#limits.maxQueued) {
      this.#dropped++;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= this.#limits.maxBatch && !this.#to.isFailing) void this.flush();
    else if (!this.#timer) this.#later();
  }

  /** Resolves when the queue is empty or the collector has failed. Never rejects. */
  flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (this.#queue.length > 0 && !this.#isClosed) this.#later();
    });
    return this.#sending;
  }

  async close(): Promise<void> {
    const last = this.#to.end();
    await this.#sending;
    await this.flush();
    this.#isClosed = true;
    this.#timer?.cancel();
    last.cancel();
    this.#dropped += this.#queue.length;
    this.#queue.length = 0;
    this.#report();
  }

  #later(): void {
    this.#timer ??= this.#options.clock.after(this.#limits.intervalMs, () => void this.flush());
    this.#timer.keepAlive(false);
  }

  async #send(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, this.#limits.maxBatch);
      const sent = await this.#to.post(this.#bodyOf(batch));
      if ('failed' in sent) {
        if (!sent.again) this.#dropped += this.#queue.splice(0, batch.length).length;
        return;
      }
      this.#queue.splice(0, batch.length);
      this.#dropped += sent.rejected;
      this.#report();
    }
  }

  #report(): void {
    const count = this.#dropped - this.#reported;
    if (count === 0) return;
    this.#reported = this.#dropped;
    this.#options.note(
      `${count} ${count === 1 ? 'span was' : 'spans were'} not delivered (a queue of at most ${this.#limits.maxQueued}, OTEL_BSP_MAX_QUEUE_SIZE, or refused)`,
    );
  }
}
