// A LiteMCP server under test as a process: bytes in, frames out.

import { textOf } from '../../../base/text-of.ts';
import type { ServerProcess } from '../../../wire/process/server-process.ts';
import { type Budget, parsedBytes } from '../../budget.ts';
import { launch, ProcessUnderTest } from '../../process-under-test.ts';
import type { Target } from '../../target.ts';
import { violation } from '../../verdict.ts';
import { Frames, type Message, requestText } from '../frames.ts';

/** Number of round trips: more than one, for servers that handle requests concurrently. */
const ROUND_TRIPS = 5;

export class LiteProbe extends ProcessUnderTest {
  /** Number of requests sent with each id. */
  readonly sentIds = new Map<string, number>();
  readonly #byId = new Map<string, Message[]>();
  readonly #frames = new Frames(
    (frame) => {
      this.transcript.push(frame);
      if (frame.message && this.stopped === undefined) this.#index(frame as Message);
    },
    (bytes) => this.hold(parsedBytes(bytes)),
  );

  static start(target: Target, timeoutMs: number, budget: Budget, signal?: AbortSignal): Promise<LiteProbe> {
    return launch(target, signal, (process: ServerProcess) => new LiteProbe(process, timeoutMs, budget));
  }

  get frames() {
    return this.#frames.all;
  }

  get messages(): Message[] {
    return this.#frames.messages;
  }

  override get rest(): Buffer {
    return this.#frames.rest;
  }

  /** The text of a request, to be written by the caller. */
  text(type: string, data: unknown, id: number = this.newId()): { id: number; text: string } {
    this.sentIds.set(textOf(id), (this.sentIds.get(textOf(id)) ?? 0) + 1);
    return { id, text: requestText(id, type, data) };
  }

  send(type: string, data: unknown, id?: number): number {
    const request = this.text(type, data, id);
    this.write(request.text);
    return request.id;
  }

  /** All messages with this id, in order. Includes answers that have the id as a string. */
  answersTo(id: number): readonly Message[] {
    return this.#byId.get(textOf(id)) ?? [];
  }

  async answerTo(id: number, what: string, timeoutMs = this.timeoutMs): Promise<Message> {
    return this.until(() => this.answersTo(id)[0], `There was no answer to ${what} (id ${id})`, timeoutMs);
  }

  /** Throws a violation after a timeout. */
  async ask(type: string, data: unknown, what = `"${type}"`): Promise<Message> {
    return this.answerTo(this.send(type, data), what);
  }

  /** Returns when the server has read all previous input. */
  async barrier(after: string): Promise<void> {
    await this.ask('get', {}, `"get" after ${after}`);
  }

  /** Waits until previous requests are answered, by further round trips instead of a clock. False if the server does not answer. */
  async settled(): Promise<boolean> {
    try {
      for (let trip = 0; trip < ROUND_TRIPS; trip++) await this.barrier('others');
      return true;
    } catch {
      return false;
    }
  }

  /** The tool, as the server describes it. */
  async info(): Promise<Message> {
    const answer = await this.ask('get', {});
    if (answer.message.type === 'info') return answer;
    violation(`"get" was answered with type ${JSON.stringify(answer.message.type)} instead of "info".`, answer);
  }

  protected override read(chunk: Buffer): void {
    this.#frames.push(chunk);
  }

  protected override forgot(): void {
    this.#byId.clear();
    this.sentIds.clear();
    this.#frames.keepOnly(new Set(this.transcript.entries));
    for (const frame of this.messages) this.#index(frame);
    if (this.stopped !== undefined) this.#frames.reset();
  }

  #index(frame: Message): void {
    this.hasAnswered = true;
    const id = textOf(frame.message.id);
    const before = this.#byId.get(id);
    if (before) before.push(frame);
    else this.#byId.set(id, [frame]);
  }
}
