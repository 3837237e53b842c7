// The server under test as a process: bytes in, lines out.

import { RpcCode } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { idAsText } from '../../wire/diagnosis/text-id.ts';
import { type Budget, parsedBytes } from '../budget.ts';
import { parsed } from '../parsed-json.ts';
import { launch, ProcessUnderTest } from '../process-under-test.ts';
import type { Target } from '../target.ts';
import type { Entry } from '../transcript.ts';
import { violation } from '../verdict.ts';
import { type Frame, isList, LineReader, messagesOf } from './line-reader.ts';

export { type Frame, isList, messagesOf };

export class Probe extends ProcessUnderTest {
  /** Lines of stdout, in order. */
  readonly frames: Frame[] = [];
  /** Called for each line, before waits are resolved. */
  onframe: ((frame: Frame) => void) | undefined;
  /** The id of an answer that returned it as a string. */
  textId: string | undefined;
  readonly #answers = new Map<string, Frame[]>();
  readonly #wrongAnswers = new Map<string, Frame>();
  /** Ids made by `newId` that were answered. They are kept when the transcript is dropped. */
  readonly #answered = new Set<unknown>();
  readonly #repeated = new WeakSet<Frame>();
  readonly #lines = new LineReader(
    (frame) => this.#line(frame),
    (bytes) => this.hold(parsedBytes(bytes)),
  );

  static start(target: Target, timeoutMs: number, budget: Budget, signal?: AbortSignal): Promise<Probe> {
    return launch(target, signal, (process) => new Probe(process, timeoutMs, budget));
  }

  override get rest(): Buffer {
    return this.#lines.rest;
  }

  /** Sends a message as one line. */
  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** All answers with this id, in order. */
  answersTo(id: unknown): readonly Frame[] {
    return this.#answers.get(JSON.stringify(id)) ?? [];
  }

  /** Whether an earlier answer had the same id, which is one of `newId`. */
  isRepeated(frame: Frame): boolean {
    return this.#repeated.has(frame);
  }

  /** The first message with this id that lacks a method, a result and an error. */
  wrongAnswerTo(id: unknown): Frame | undefined {
    return this.#wrongAnswers.get(JSON.stringify(id));
  }

  /**
   * Resolves to the first answer with this id. A missing or malformed answer, and one with the id as a string, are
   * violations. `what`: names the request.
   */
  async answerTo(id: unknown, what: string, timeoutMs = this.timeoutMs): Promise<Frame> {
    const frame = await this.until(() => this.anyAnswerTo(id), `There was no answer to ${what}`, timeoutMs);
    if (this.answersTo(id)[0] !== undefined) return this.answersTo(id)[0]!;
    if (this.wrongAnswerTo(id)) violation(`The answer to ${what} has no \`result\` and no \`error\`.`, frame);
    this.textId = `${id}`;
    violation(`There was no answer to ${what}: the server ${idAsText(this.textId).problem}.`, frame);
  }

  /** The first answer with this id, even if it is malformed or has the id as a string. */
  anyAnswerTo(id: unknown): Frame | undefined {
    return this.answersTo(id)[0] ?? this.wrongAnswerTo(id) ?? this.#answerAsText(id);
  }

  /** An error without an id after the request, if the request was sent last. Excludes errors about unreadable messages. */
  anonymousErrorTo(id: unknown): Frame | undefined {
    const frame = this.answersTo(null).at(-1) ?? this.answersTo(undefined).at(-1);
    if (!frame || !messagesOf(frame).some(isAnonymousError)) return undefined;
    const { entries } = this.transcript;
    const sentAt = entries.findLastIndex(({ kind }) => kind === 'sent');
    if (entries.lastIndexOf(frame) < sentAt) return undefined;
    const sent = parsed(Buffer.from(entries[sentAt]!.bytes).toString('utf8'));
    return isObject(sent) && sent.id === id ? frame : undefined;
  }

  #answerAsText(id: unknown): Frame | undefined {
    return this.hasGiven(id) ? this.answersTo(`${id}`)[0] : undefined;
  }

  protected override read(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  protected override readEnd(): void {
    this.#lines.end();
  }

  protected override forgot(): void {
    const kept = new Set<Entry>(this.transcript.entries);
    const frames = this.frames.splice(0).filter((frame) => kept.has(frame));
    this.#answers.clear();
    this.#wrongAnswers.clear();
    for (const frame of frames) this.#index(frame);
    if (this.stopped !== undefined) this.#lines.reset();
  }

  #line(frame: Frame): void {
    this.transcript.push(frame);
    if (this.stopped !== undefined) return;
    this.#index(frame);
    this.onframe?.(frame);
  }

  #index(frame: Frame): void {
    this.frames.push(frame);
    for (const message of messagesOf(frame)) {
      const key = JSON.stringify(message.id);
      if (isWrongAnswer(message) && !this.#wrongAnswers.has(key)) this.#wrongAnswers.set(key, frame);
      if (!isAnswer(message)) continue;
      this.hasAnswered = true;
      if (this.#answered.has(message.id)) this.#repeated.add(frame);
      if (this.hasGiven(message.id)) this.#answered.add(message.id);
      const before = this.#answers.get(key);
      if (before) before.push(frame);
      else this.#answers.set(key, [frame]);
    }
  }
}

export function isAnswer(message: JsonObject): boolean {
  return message.method === undefined && ('result' in message || 'error' in message);
}

function isAnonymousError({ id, method, error }: JsonObject): boolean {
  const isUnreadable = isObject(error) && (error.code === RpcCode.parseError || error.code === RpcCode.invalidRequest);
  return id == null && method === undefined && error != null && !isUnreadable;
}

/** Without `jsonrpc`, the message may be a log record. */
function isWrongAnswer(message: JsonObject): boolean {
  return message.jsonrpc !== undefined && message.id != null && message.method === undefined && !isAnswer(message);
}
