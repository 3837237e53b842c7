// The server under test as a process: bytes in, lines out, nothing interpreted that the rules want to see.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import { launch, ProcessUnderTest, type Target } from '../process-under-test.ts';
import type { Entry } from '../transcript.ts';

/** One line of stdout. */
export interface Frame extends Entry {
  readonly kind: 'received';
  /** Undefined for a line that is not JSON. */
  readonly json: unknown;
}

export class Probe extends ProcessUnderTest {
  /** Lines of stdout, in order. */
  readonly frames: Frame[] = [];
  /** Called for each line, before waits are. */
  onframe: ((frame: Frame) => void) | undefined;
  readonly #answers = new Map<string, Frame[]>();
  #rest: Buffer[] = [];

  static start(target: Target, timeoutMs: number, signal?: AbortSignal): Promise<Probe> {
    return launch(target, signal, (process) => new Probe(process, timeoutMs));
  }

  /** Bytes of stdout that no newline has ended. */
  override get rest(): Buffer {
    return Buffer.concat(this.#rest);
  }

  /** One message as one line. */
  send(message: unknown): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  /** All answers with this id, in order. */
  answersTo(id: unknown): readonly Frame[] {
    return this.#answers.get(JSON.stringify(id)) ?? [];
  }

  /** The first answer with this id. It is a violation if none comes in time; `what` names the request. */
  answerTo(id: unknown, what: string, timeoutMs = this.timeoutMs): Promise<Frame> {
    return this.until(() => this.answersTo(id)[0], `There was no answer to ${what}`, timeoutMs);
  }

  protected override read(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#line(Buffer.concat([...this.#rest, chunk.subarray(from, at)]));
      this.#rest = [];
      from = at + 1;
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from));
  }

  #line(bytes: Buffer): void {
    const frame = { kind: 'received', bytes, json: parsed(bytes) } as const;
    this.transcript.entries.push(frame);
    this.frames.push(frame);
    for (const message of messagesOf(frame)) {
      if (!isAnswer(message)) continue;
      const key = JSON.stringify(message.id);
      const before = this.#answers.get(key);
      if (before) before.push(frame);
      else this.#answers.set(key, [frame]);
    }
    this.onframe?.(frame);
  }
}

/** The messages of a line: of a batch each, of anything else but an object none. */
export function messagesOf({ json }: Frame): JsonObject[] {
  return (Array.isArray(json) ? json : [json]).filter(isObject);
}

export function isAnswer(message: JsonObject): boolean {
  return message.method === undefined && ('result' in message || 'error' in message);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
