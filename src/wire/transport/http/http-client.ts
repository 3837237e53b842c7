// Client transport for a remote server over Streamable HTTP: each message is a POST, answered by one JSON text or an event stream.
// A drop-in for the official transport. Servers of 2024-11-05 are used over HTTP+SSE.

import { type Evidence, UsageError } from '../../../base/errors.ts';
import type { Channel, InboundFault, SendOptions } from '../../jsonrpc/channel.ts';
import type { JsonRpcMessage, RequestId } from '../../jsonrpc/message.ts';
import { messageText } from '../../jsonrpc/message-text.ts';
import { endSession } from './end-session.ts';
import { ClientExchanges } from './exchanges.ts';
import type { HttpClientOptions } from './http-client-options.ts';

export type { HttpClientOptions } from './http-client-options.ts';

export class HttpClientTransport implements Channel {
  onmessage?: (<T extends JsonRpcMessage>(message: T, extra?: object, frameBytes?: number) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  onfault?: ((fault: InboundFault) => void) | undefined;
  onlost?: ((id: RequestId, error: Error) => void) | undefined;
  onrenewed?: ((initialized: object) => void) | undefined;
  closeError: Error | undefined;
  readonly writesText = true;
  readonly hasPerRequestStream = true;
  readonly httpSymptoms = () => this.#exchanges.connection.symptoms;
  readonly #exchanges: ClientExchanges;
  readonly #isSse: boolean;
  #isStarted = false;

  constructor(options: HttpClientOptions) {
    this.#isSse = options.transport === 'sse';
    this.#exchanges = new ClientExchanges(this, options);
  }

  /** The target of requests, without credentials. */
  get url(): URL {
    return this.#exchanges.connection.url;
  }

  get sessionId(): string | undefined {
    return this.#exchanges.connection.session.id;
  }

  get receivedFor(): RequestId | undefined {
    return this.#exchanges.receivedFor;
  }

  evidence(): Evidence {
    return this.#exchanges.connection.evidence();
  }

  mask(text: string): string {
    return this.#exchanges.connection.mask(text);
  }

  setProtocolVersion(version: string): void {
    this.#exchanges.version = version;
  }

  async start(): Promise<void> {
    if (this.#isStarted) {
      throw new UsageError('ALREADY_STARTED', 'HttpClientTransport already started', {
        hint: 'connect() of a client calls start() itself. A new connection needs a new transport.',
      });
    }
    this.#isStarted = true;
    await this.#exchanges.open(this.#isSse);
  }

  /** Failures of requests are reported by `onlost` if it is set, and by the promise otherwise. */
  send(message: JsonRpcMessage, options?: object): Promise<void> {
    const text = messageText(message);
    if (typeof text !== 'string') return Promise.reject(text);
    if (!this.#exchanges.isOpen) return Promise.reject(this.#notOpen());
    return this.#exchanges.send(message, text, options as SendOptions | undefined);
  }

  /** Ends the session on the server, if there is one. The connection can then start a new session. */
  async terminateSession(): Promise<void> {
    const { connection } = this.#exchanges;
    if (connection.session.id !== undefined) await endSession(connection);
    connection.session.id = undefined;
  }

  close(): Promise<void> {
    return this.#exchanges.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #notOpen(): UsageError {
    if (!this.#isStarted) return new UsageError('NOT_STARTED', 'The transport was not started');
    return new UsageError('TRANSPORT_CLOSED', 'The transport is closed');
  }
}
