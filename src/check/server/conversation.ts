// An open connection to the server under test, in one revision: requests with the envelope of their era, and their answers. Requests of the
// server are refused, as by a client without capabilities, unless a rule answers them.

import { isObject, type JsonObject, metaOf } from '../../base/json-object.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION_KEY } from '../../mcp/meta.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { type Era, eraOf, type Revision } from '../../mcp/revisions.ts';
import type { ClientCapabilities, ServerCapabilities } from '../../mcp/types.ts';
import { Violation, violation } from '../verdict.ts';
import { type Frame, isAnswer, messagesOf, type Probe } from './probe.ts';

export interface OpenOptions {
  capabilities?: ClientCapabilities;
  /** Answers requests from the server (before 2026-07-28), by method: the result. Other requests are refused. */
  handlers?: Readonly<Record<string, (params: JsonObject) => JsonObject>>;
  /** Before 2026-07-28: `ping`, or another method if the server does not answer `ping`. Default: determined on opening. */
  simplestMethod?: string;
}

export interface Answer {
  readonly frame: Frame;
  readonly message: JsonObject;
  readonly result: JsonObject | undefined;
  readonly error: RpcError | undefined;
}

export interface RpcError {
  readonly code: unknown;
  readonly message: unknown;
  readonly data?: unknown;
}

export const METHOD_NOT_FOUND = -32601;

export const UNKNOWN_METHOD = 'standpipe/no-such-method';

/** report/causes.ts matches this text. */
export const WITHOUT_ID = 'with the id null, so clients cannot assign it to its request';

export const COPY_ID =
  'Copy the id of the request into its answer, also into errors. The id null is only for messages whose id cannot be read.';

/** Limit of unread answers to requests from the server. */
const MOST_UNREAD_BYTES = 1024 * 1024;

export const ONE_MESSAGE_PER_READ =
  'The server treats the bytes of one read as one message: single requests are answered, but two messages in one write are not.';

/** Number of round trips: more than one, for servers that handle requests concurrently. */
const ROUND_TRIPS = 5;

export class Conversation {
  readonly probe: Probe;
  readonly revision: Revision;
  readonly era: Era;
  /** The result of `initialize` or `server/discover`. */
  readonly opening: JsonObject;
  /** A request without effects that the server answers. */
  simplestMethod: string;
  readonly #options: OpenOptions;

  /** Resolves to undefined if the server does not support the revision. A missing answer is a violation. */
  static async open(probe: Probe, revision: Revision, options: OpenOptions = {}): Promise<Conversation | undefined> {
    const isModern = eraOf(revision) === 'modern';
    const id = probe.newId();
    const request = openingRequest(revision, id, options);
    probe.send(request);
    const { result } = readAnswer(await probe.answerTo(id, `\`${request.method}\` of ${revision}`), id);
    if (!result) return undefined;
    const versions = isModern ? result.supportedVersions : [result.protocolVersion];
    if (!Array.isArray(versions) || !versions.includes(revision)) return undefined;
    const conversation = new Conversation(probe, revision, result, options);
    await (isModern ? conversation.#chooseEra() : conversation.#initialized());
    return conversation;
  }

  private constructor(probe: Probe, revision: Revision, opening: JsonObject, options: OpenOptions) {
    this.probe = probe;
    this.revision = revision;
    this.era = eraOf(revision);
    this.opening = opening;
    this.simplestMethod = this.era === 'modern' ? 'server/discover' : (options.simplestMethod ?? 'ping');
    this.#options = options;
    probe.onframe = (frame) => {
      for (const message of messagesOf(frame)) this.#answerQuestion(message);
    };
  }

  get capabilities(): ServerCapabilities {
    return isObject(this.opening.capabilities) ? this.opening.capabilities : {};
  }

  /** `params` with the envelope that the revision requires. */
  params(params?: JsonObject): JsonObject | undefined {
    return this.era === 'modern' ? withEnvelope(params, this.revision, this.#options) : params;
  }

  /** Sends a request and returns its id. */
  ask(method: string, params?: JsonObject): number {
    const id = this.probe.newId();
    this.probe.send({ jsonrpc: '2.0', id, method, params: this.params(params) });
    return id;
  }

  async answer(id: unknown, what: string, timeoutMs?: number): Promise<Answer> {
    const { probe } = this;
    const own = () => probe.anyAnswerTo(id);
    const find = () => own() ?? probe.anonymousErrorTo(id);
    const first = await probe.until(find, `There was no answer to ${what}`, timeoutMs);
    if (!own() && !(await this.#omitsIds())) await probe.maybe(own, timeoutMs); // the error may belong to an earlier message
    if (!own()) throw new Violation(`The answer to ${what} is an error ${WITHOUT_ID}.`, [first], COPY_ID);
    return readAnswer(await probe.answerTo(id, what, timeoutMs), id);
  }

  request(method: string, params?: JsonObject, timeoutMs?: number): Promise<Answer> {
    return this.answer(this.ask(method, params), `\`${method}\``, timeoutMs);
  }

  /** Resolves to the result. An error is a violation. */
  async result(method: string, params?: JsonObject): Promise<JsonObject> {
    const answer = await this.request(method, params);
    return answer.result ?? violation(`\`${method}\` was answered with ${withoutResult(answer)}.`, answer.frame);
  }

  /** Resolves to the error. A result is a violation. */
  async error(method: string, params?: JsonObject): Promise<RpcError> {
    const { error, result, frame } = await this.request(method, params);
    if (error) return error;
    if (!isObject(result?.error)) violation(`\`${method}\` was answered with a result.`, frame);
    const reason = `\`${method}\` was answered with a result that contains the error: clients treat it as a success.`;
    throw new Violation(reason, [frame], 'Send errors in the member `error` of the answer, instead of `result`.');
  }

  /** Whether the server lacks the methods of a declared capability (lifecycle/declared-capabilities-work). */
  async lacksMethodsOf(method: string): Promise<boolean> {
    const [kind] = method.split('/');
    return (await this.request(`${kind}/list`)).error?.code === METHOD_NOT_FOUND;
  }

  notify(method: string, params?: JsonObject): void {
    this.probe.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** The simplest request, as an unsent message. */
  ping(id: unknown = this.probe.newId(), params?: JsonObject): JsonObject {
    return { jsonrpc: '2.0', id, method: this.simplestMethod, params: this.params(params) };
  }

  /** Requires that earlier input has been read and that a request is answered. `after`: names the earlier input. */
  async barrier(after?: string): Promise<void> {
    const ping = this.ping();
    this.probe.send(ping);
    await this.probe.answerTo(ping.id, `\`${ping.method}\`${after ? ` after ${after}` : ''}`);
  }

  /** Waits for answers to earlier input, by further round trips instead of a clock. */
  async settle(after?: string): Promise<void> {
    for (let trip = 0; trip < ROUND_TRIPS; trip++) await this.barrier(after);
  }

  /** Resolves to false if the server does not answer. */
  settled(): Promise<boolean> {
    return this.settle().then(
      () => true,
      () => false,
    );
  }

  /**
   * Official servers of both eras choose the era by the first message after `server/discover`, even a notification. Messages of rules without an
   * envelope must not choose it (modern/era-of-each-request judges this).
   */
  async #chooseEra(): Promise<void> {
    const chosen = this.ping();
    const list = this.#declaredList();
    if (list) chosen.method = list;
    await this.#together(chosen, this.ping());
  }

  async #initialized(): Promise<void> {
    const ping = this.ping();
    const after = this.#together({ jsonrpc: '2.0', method: 'notifications/initialized' }, ping);
    if (this.#options.simplestMethod !== undefined) return after;
    return after.catch((error: unknown) => this.#findSimplest(ping, error));
  }

  /**
   * Sends two messages in one write, so that the behaviour of a server that reads only one message does not depend on
   * timing.
   */
  async #together(...messages: readonly [JsonObject, JsonObject]): Promise<void> {
    this.probe.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    for (const { id, method } of messages) {
      if (id !== undefined) await this.probe.answerTo(id, `\`${String(method)}\``);
    }
  }

  /** After an unanswered `ping`: a server that answers other requests does not know `ping`, or has not read it. */
  async #findSimplest(ping: JsonObject, error: unknown): Promise<void> {
    if (!(error instanceof Violation) || this.probe.ended || this.probe.textId !== undefined) throw error;
    const other = this.#declaredList() ?? UNKNOWN_METHOD;
    await this.request(other).catch(() => {
      throw error;
    });
    if (this.probe.answersTo(ping.id)[0]) return; // the ping was answered late
    const isWrong = this.probe.wrongAnswerTo(ping.id) !== undefined;
    if (!isWrong && (await this.#isAnswered('ping'))) violation(ONE_MESSAGE_PER_READ);
    this.simplestMethod = other;
  }

  /** Whether errors of the server lack the id of their request. Tested with an unknown method, when all earlier requests are answered. */
  async #omitsIds(): Promise<boolean> {
    const { probe } = this;
    if (!(await this.settled())) return false;
    const id = this.ask(UNKNOWN_METHOD);
    await probe.maybe(() => probe.anyAnswerTo(id) ?? probe.anonymousErrorTo(id));
    const isAnonymous = probe.anonymousErrorTo(id) !== undefined;
    return isAnonymous && (await this.settled()) && !probe.anyAnswerTo(id);
  }

  #isAnswered(method: string): Promise<boolean> {
    return this.request(method).then(
      () => true,
      () => false,
    );
  }

  #declaredList(): string | undefined {
    const kind = (['tools', 'resources', 'prompts'] as const).find((each) => this.capabilities[each]);
    return kind && `${kind}/list`;
  }

  #answerQuestion({ id, method, params }: JsonObject): void {
    if (typeof method !== 'string' || id === undefined) return;
    if (this.probe.process.stdin.writableLength > MOST_UNREAD_BYTES) return; // the server does not read the answers
    const { handlers = {} } = this.#options;
    const named = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    const handler = method === 'ping' ? () => ({}) : named;
    const answer = handler
      ? { result: handler(isObject(params) ? params : {}) }
      : { error: { code: METHOD_NOT_FOUND, message: `This client does not support ${method}` } };
    this.probe.send({ jsonrpc: '2.0', id, ...answer });
  }
}

export function openingRequest(revision: Revision, id: number, options: OpenOptions = {}): JsonObject {
  return eraOf(revision) === 'modern'
    ? { jsonrpc: '2.0', id, method: 'server/discover', params: withEnvelope(undefined, revision, options) }
    : { jsonrpc: '2.0', id, method: 'initialize', params: initializeParams(revision, options.capabilities) };
}

/** `version` need not be a published one. */
export function initializeParams(version: string, capabilities: ClientCapabilities = {}): JsonObject {
  return { protocolVersion: version, capabilities, clientInfo: ownInfo };
}

export function withEnvelope(params: JsonObject | undefined, revision: Revision, options: OpenOptions): JsonObject {
  const envelope = {
    [PROTOCOL_VERSION_KEY]: revision,
    [CLIENT_INFO]: ownInfo,
    [CLIENT_CAPABILITIES]: options.capabilities ?? {},
  };
  return { ...params, _meta: { ...envelope, ...metaOf(params) } };
}

export function readAnswer(frame: Frame, id: unknown): Answer {
  const message = messagesOf(frame).find((each) => isAnswer(each) && JSON.stringify(each.id) === JSON.stringify(id))!;
  const { result } = message;
  return { frame, message, result: isObject(result) ? result : undefined, error: errorOf(message) };
}

/** The error of an answer, even if it is malformed (jsonrpc/error-members). Undefined for a result. */
export function errorOf({ result, error }: JsonObject): RpcError | undefined {
  if (isObject(error)) return error as unknown as RpcError;
  const isResult = error === undefined || isObject(result) || (error === null && result !== undefined);
  return isResult ? undefined : { code: undefined, message: error };
}

/** report/causes.ts matches the end. */
export function describeError({ code, message }: RpcError): string {
  if (Number.isInteger(code)) return `${code} ${JSON.stringify(message)}`;
  const parts = [code, message].filter((part) => part !== undefined).map((part) => JSON.stringify(part));
  return `${parts.join(' ')} (without an integer code)`;
}

/** Describes an answer without a valid result. */
export function withoutResult({ error }: Pick<Answer, 'error'>): string {
  return error ? `the error ${describeError(error)}` : 'a result that is not an object';
}
