// One HTTP request, including whether the other end may have received it.

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Timer } from '../../../base/clock.ts';
import type { ExchangeObserver } from '../../wire.ts';
import type { Connector } from './connector.ts';
import type { Endpoint } from './endpoint.ts';
import type { ObservedRemote } from './observed-remote.ts';

export interface HttpEvents {
  response(response: IncomingMessage): void;
  /** Called if there was no response. */
  failed(error: Error): void;
}

export interface Sent {
  method: string;
  /** Alternating names and values, without `Host`. */
  headers: string[];
  body: string | undefined;
  /** True for plain HTTP through a proxy, whose agent changes the headers. */
  isProxied: boolean;
  observed: ObservedRemote | undefined;
  /** An earlier request with the same body. */
  repeats: ExchangeObserver | undefined;
}

export class HttpRequest {
  readonly seen: ExchangeObserver | undefined;
  readonly #request: ClientRequest;
  readonly #connector: Connector;
  readonly #isTls: boolean;
  #socket: Socket | undefined;
  #isConnected = false;
  #bytesBefore = 0;
  #timer: Timer | undefined;
  #error: Error | undefined;
  #hasResponse = false;
  /** The status with which the proxy refused. The server then received nothing. */
  #proxyStatus: number | undefined;

  constructor(connector: Connector, endpoint: Endpoint, sent: Sent, events: HttpEvents) {
    const { method, headers, body, isProxied, observed } = sent;
    const { send, options, url, isTls } = endpoint;
    this.#connector = connector;
    this.#isTls = isTls;
    const given = isProxied ? asObject(headers) : ['Host', url.host].concat(headers);
    this.#request = send({ ...options, method, headers: given as never });
    if (observed) {
      const { repeats } = sent;
      this.seen = observed.exchange(this.#request, { url, headers: asObject(headers), text: body, repeats });
    }
    this.#request.on('socket', (socket) => this.#assigned(socket));
    this.#request.on('response', (response) => {
      this.#hasResponse = true;
      events.response(response);
    });
    const failed = (error: Error) => {
      this.#timer?.cancel();
      this.#error = error;
      events.failed(error);
    };
    this.#request.on('error', failed);
    // If the server switches protocols, Node.js closes the connection without an error.
    this.#request.on('close', () => {
      if (!this.#hasResponse && !this.#error) failed(new Error('The connection ended without a response'));
    });
    if (isTls) {
      this.#request.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
        if (statusCode !== 200) this.#proxyStatus = statusCode;
      });
    }
    this.#request.end(body);
  }

  /** The status with which a proxy refused to connect. */
  get proxyStatus(): number | undefined {
    return this.#proxyStatus;
  }

  /** False if it is certain that no server received the whole request. */
  get mayHaveArrived(): boolean {
    if (!this.#isConnected || this.#proxyStatus !== undefined || !this.#socket) return false;
    // The body is sent as one write. If that write failed, the other end received an incomplete body.
    if (!this.#isTls && (this.#error as NodeJS.ErrnoException | undefined)?.syscall === 'write') return false;
    return this.#socket.bytesWritten > this.#bytesBefore;
  }

  destroy(error?: Error): void {
    this.#timer?.cancel();
    this.#request.destroy(error);
    if (!this.#socket) this.#connector.giveUp(this.#request);
  }

  #assigned(socket: Socket): void {
    this.#socket = socket;
    if (!socket.connecting && !(socket as Partial<TLSSocket> & { secureConnecting?: boolean }).secureConnecting) {
      this.#isConnected = true;
      this.#bytesBefore = socket.bytesWritten;
      return;
    }
    const { clock, connectTimeoutMs } = this.#connector;
    this.#timer = clock.after(connectTimeoutMs, () => {
      this.#request.destroy(new Error(`No connection within ${connectTimeoutMs} ms (connectTimeoutMs)`));
    });
    socket.once(this.#isTls ? 'secureConnect' : 'connect', () => {
      this.#isConnected = true;
      this.#timer?.cancel();
    });
  }
}

function asObject(headers: readonly string[]): Record<string, string> {
  const object: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) object[headers[at]!] = headers[at + 1]!;
  return object;
}
