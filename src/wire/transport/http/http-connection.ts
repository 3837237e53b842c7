// State shared by all requests of one transport: endpoint, headers, session and facts about the server.

import type { IncomingMessage } from 'node:http';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { DEFAULT_MAX_FRAME_VALUES } from '../../../base/count-json-values.ts';
import { hasAuthorization, secretsInHeaders } from '../../../base/credentials.ts';
import type { Evidence, Phase } from '../../../base/errors.ts';
import { isWorthMasking, type Mask, maskValues, REDACTED } from '../../../base/secrets/mask-values.ts';
import type { HttpSymptoms } from '../../diagnosis/http.ts';
import { authorizerOf } from './auth-provider.ts';
import type { Authorizer } from './authorizer.ts';
import { Connector } from './connector.ts';
import { type Endpoint, safeLocation, serverUrl, urlText, withCredentials } from './endpoint.ts';
import { DEFAULT_MAX_BYTES, type HttpClientOptions } from './http-client-options.ts';
import { ObservedRemote } from './observed-remote.ts';
import { RequestHead } from './request-head.ts';
import { RemoteSession } from './session.ts';

const DIAGNOSED_BYTES = 1024;

export class HttpConnection {
  readonly session = new RemoteSession();
  readonly connector: Connector;
  readonly head: RequestHead;
  /** The authorizer; undefined if the configured headers already contain a credential. */
  readonly authorizer: Authorizer | undefined;
  readonly observed: ObservedRemote | undefined;
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly maxValues: number;
  /** The authorizer's credential in the latest request. */
  authorization: string | undefined;
  /** Set by `open`. A redirect changes it for all later requests. */
  endpoint!: Endpoint;
  phase: Phase = 'startup';
  /**
   * Description of the latest HTTP response that did not carry a JSON-RPC response. Undefined after an accepted one.
   */
  symptoms: HttpSymptoms | undefined;
  /** The status with which the server refused the latest request. */
  status: number | undefined;
  readonly #url: URL;
  readonly #maskKnown: Mask;
  readonly #streams = new Set<IncomingMessage>();
  #isPaused = false;

  constructor(options: HttpClientOptions, report: (thrown: unknown) => void) {
    const {
      headers = {},
      secrets = [],
      authorizer,
      authProvider,
      clock = systemClock,
      maxFrameBytes = DEFAULT_MAX_BYTES,
      maxFrameValues = DEFAULT_MAX_FRAME_VALUES,
    } = options;
    this.#url = serverUrl(options.url);
    const { all, credentials } = withCredentials(this.#url, headers);
    const inAddress = [...credentials, ...this.#url.searchParams.values()];
    this.#maskKnown = maskValues({}, [...secretsInHeaders(all), ...inAddress, ...secrets]);
    const hasCredential = hasAuthorization(Object.keys(all));
    const given = authorizer ?? (authProvider && authorizerOf(authProvider, this.#url));
    this.authorizer = hasCredential ? undefined : given;
    this.observed = options.observer && new ObservedRemote(options.observer, all, this.mask, report);
    this.clock = clock;
    this.maxBytes = maxFrameBytes;
    this.maxValues = maxFrameValues;
    this.connector = new Connector(options);
    this.head = new RequestHead(all, this.session);
  }

  /** Replaces credentials with a placeholder. */
  readonly mask: Mask = (text) => {
    const token = this.authorization?.slice(this.authorization.indexOf(' ') + 1);
    const masked = this.#maskKnown(text);
    return token && isWorthMasking(token) ? masked.replaceAll(token, REDACTED) : masked;
  };

  /** The URL without credentials. */
  get url(): URL {
    return new URL(this.endpoint?.url ?? this.#url);
  }

  async open(): Promise<void> {
    this.endpoint = await this.connector.endpoint(this.#url);
    this.observed?.connected(this.#url);
  }

  /** Stores the session id of a response, if it has a valid one. */
  beginSession(id: unknown): void {
    if (!this.session.isValidId(id)) return;
    this.session.id = id;
    this.observed?.learned({ session: id });
  }

  /** Called for a response with a 2xx status. */
  accepted(): void {
    this.phase = 'running';
    this.status = undefined;
    this.symptoms = undefined;
  }

  /** Called for a response that is not an answer. */
  notAnswer(response: IncomingMessage, body?: Buffer, byProxy = false): void {
    const text = this.mask(body?.toString('utf8', 0, DIAGNOSED_BYTES) ?? '');
    const contentType = response.headers['content-type'];
    const location = safeLocation(response.headers.location);
    this.symptoms = { url: this.#url, status: response.statusCode!, contentType, location, body: text, byProxy };
  }

  /** Called for a body that is not a message. It may come from a different API. */
  notMessage(response: IncomingMessage, body: Buffer): void {
    if (!body.includes('"jsonrpc"')) this.notAnswer(response, body);
  }

  /** Called if no response arrived. */
  failed(error: NodeJS.ErrnoException, byProxy: boolean): void {
    // An AggregateError holds one error per address of the host.
    const code = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException).code : error.code;
    this.symptoms = { url: this.#url, errorCode: code, errorMessage: error.message, byProxy };
  }

  /** Registers an event stream that is being read, so that `pause` affects it. */
  reads(response: IncomingMessage): void {
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
    if (this.#isPaused) response.pause();
  }

  /** Pauses reading while too many outbound messages are queued. */
  pause(isFull: boolean): void {
    this.#isPaused = isFull;
    for (const response of this.#streams) {
      if (isFull) response.pause();
      else response.resume();
    }
  }

  evidence(): Evidence {
    const evidence: Evidence = { phase: this.phase, url: urlText(this.#url) };
    if (this.status !== undefined) evidence.status = this.status;
    return evidence;
  }
}
