// Starts a new session when the server no longer knows the current one (404), as 2025-03-26 to 2025-11-25 require, by repeating
// `initialize` and `notifications/initialized`. Requests are queued in the meantime. Refused requests did not run and are sent once more.

import type { IncomingMessage } from 'node:http';
import type { Timer } from '../../../base/clock.ts';
import { decodeText } from '../../../base/decode-text.ts';
import { PeerError } from '../../../base/errors.ts';
import { firstChars } from '../../../base/first-chars.ts';
import { isObject } from '../../../base/json-object.ts';
import { MessageFault, parseMessage } from '../../jsonrpc/parse.ts';
import { endSession } from './end-session.ts';
import type { HttpChannel } from './exchanges.ts';
import { NOTIFICATION_TIMEOUT_MS } from './http-client-options.ts';
import type { HttpConnection } from './http-connection.ts';
import { Post, type Posted, type PostOwner } from './post.ts';
import type { PostQueue } from './post-queue.ts';
import { judgeRefusedPost } from './refused-post.ts';

export interface RenewalOwner {
  readonly connection: HttpConnection;
  readonly channel: HttpChannel;
  /** Closes the stream of the old session. */
  closeStream(): void;
  /** Called for a message that is not the answer to `initialize`. */
  receivedOther(chunk: Uint8Array, start: number, end: number): void;
  /** Called when the new session is ready: opens its stream, then starts queued requests. */
  listen(): void;
  /** Called when a new session cannot be started. */
  end(error: Error): void;
}

const INITIALIZED: Posted = {
  id: undefined,
  method: 'notifications/initialized',
  text: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  own: undefined,
};
const MOST_RENEWALS = 3;
const WITHIN_MS = 60_000;
const MOST_SAID_CHARS = 300;
const ENDED = 'The server ended the session';

export class SessionRenewal implements PostOwner {
  readonly connection: HttpConnection;
  readonly #owner: RenewalOwner;
  readonly #queue: PostQueue;
  #opening: Posted | undefined;
  #revision: string | undefined;
  /** Start times of recent renewals. */
  #begunMs: number[] = [];
  /** The POST of the current renewal. */
  #post: Post | undefined;
  #timer: Timer | undefined;
  #result: object | undefined;

  constructor(owner: RenewalOwner, queue: PostQueue) {
    this.#owner = owner;
    this.connection = owner.connection;
    this.#queue = queue;
  }

  get isActive(): boolean {
    return this.#post !== undefined;
  }

  /** Called when the server has accepted this `initialize`. */
  learn({ id, method, text, own }: Posted): void {
    this.#opening = { id, method, text, own };
  }

  /** Called when the server does not know the session of this POST. The POST did not run. */
  refusedBySession(post: Post): void {
    const isLate = this.#owner.channel.onrenewed && (this.isActive || !post.isOfSession(this.connection.session.id));
    const why = isLate ? undefined : this.#begin();
    if (why === undefined && isBoundToSession(post)) post.drop();
    else if (why === undefined && !post.posted.isRepeated) this.#queue.repeat(post, { isRepeated: true });
    else {
      const hint = why === undefined ? 'The request did not run; sending it again is safe.' : 'Connect again.';
      const message = `${ENDED} — ${post.method} did not run`;
      post.lose(new PeerError('NOT_SENT', message, { evidence: this.connection.evidence(), hint }));
    }
    if (why !== undefined) this.#end(why);
  }

  /** Called when the server does not know the session of a stream. */
  sessionEnded(): void {
    const why = this.isActive ? undefined : this.#begin();
    if (why !== undefined) this.#end(why);
  }

  close(): void {
    this.#timer?.cancel();
    const post = this.#post;
    this.#post = undefined;
    post?.close();
  }

  accepted(post: Post, response: IncomingMessage): void {
    this.connection.accepted();
    if (post.id !== undefined) return this.connection.beginSession(response.headers['mcp-session-id']);
    this.#post = undefined;
    this.#queue.dropReplies(isBoundToSession);
    this.#owner.listen();
    this.#owner.channel.onrenewed?.(this.#result!);
  }

  received(post: Post, chunk: Uint8Array, start: number, end: number): void {
    const { maxValues: maxFrameValues, mask } = this.connection;
    const message = parseMessage(decodeText(chunk, start, end), { batches: false, arrayParams: false, maxFrameValues });
    if (message instanceof MessageFault || Array.isArray(message)) return;
    if ('method' in message) return this.#owner.receivedOther(chunk, start, end);
    if (message.id !== post.id) return;
    post.isSettled = true;
    this.#timer?.cancel();
    if ('error' in message) return this.#fail(mask(firstChars(message.error.message, MOST_SAID_CHARS)));
    const { result } = message;
    if (!isObject(result)) return this.#fail('initialize has no result');
    if (result.protocolVersion !== this.#revision) {
      const other = firstChars(JSON.stringify(result.protocolVersion) ?? 'none', MOST_SAID_CHARS);
      return this.#fail(`it has the revision ${other} instead of ${this.#revision}`);
    }
    this.#result = result;
    this.connection.session.version = this.#revision;
    this.#start(INITIALIZED);
  }

  tooLong(): void {
    this.#fail('the answer to initialize is too long');
  }

  refused(post: Post, response: IncomingMessage, body: Buffer): void {
    const { mask } = this.connection;
    const judgement = judgeRefusedPost(post, response, body, {
      hasSession: false,
      evidence: this.connection.evidence(),
      mask,
    });
    if (judgement.kind === 'answer') this.received(post, body, 0, body.length);
    else if (judgement.kind === 'refused') this.#fail(judgement.error.message, judgement.error);
  }

  lost(_: Post, error: Error): void {
    this.#fail(error.message, error);
  }

  over(): void {
    // The POST bypasses the queue, so there is no slot to free.
  }

  /** Returns the reason if a new session cannot be started. */
  #begin(): string | undefined {
    const { session, clock } = this.connection;
    if (!this.#owner.channel.onrenewed || !this.#opening || session.version === undefined) return ENDED;
    const nowMs = clock.nowMs();
    this.#begunMs = this.#begunMs.filter((ms) => nowMs - ms < WITHIN_MS);
    if (this.#begunMs.push(nowMs) > MOST_RENEWALS) {
      return `${ENDED}, after ${MOST_RENEWALS} new ones within ${WITHIN_MS / 1000} seconds`;
    }
    this.#revision = session.version;
    session.id = undefined;
    session.version = undefined;
    this.#owner.closeStream();
    this.#queue.holdAll();
    this.#timer = clock.after(NOTIFICATION_TIMEOUT_MS, () => {
      this.#fail(`no answer to initialize within ${NOTIFICATION_TIMEOUT_MS} ms`);
    });
    this.#start(this.#opening);
    this.#queue.sessionEnded();
    return undefined;
  }

  #start(posted: Posted): void {
    this.#post = new Post(this, posted);
    this.#post.start();
  }

  #fail(why: string, cause?: Error): void {
    if (!this.isActive) return;
    this.close();
    const end = () => this.#end(`${ENDED}, and a new one could not be opened: ${why}`, cause);
    if (this.connection.session.id === undefined) end();
    else void endSession(this.connection).then(end, end);
  }

  #end(message: string, cause?: Error): void {
    this.connection.session.id = undefined;
    this.#owner.end(new PeerError('CONNECTION_CLOSED', message, { cause, evidence: this.connection.evidence() }));
  }
}

const ofSession = new Set(['an answer', 'notifications/cancelled', 'notifications/progress']);

/** These messages are meaningless in a new session, where their ids may belong to other requests. */
function isBoundToSession({ method }: Post): boolean {
  return ofSession.has(method);
}
