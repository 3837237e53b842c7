// Reads frames from a server and emits answers, unreadable answers and stray output. A message ends with three
// newlines, so a line of other text on stdout shares a frame with the message after it. A frame that is not a message
// is therefore searched for answers; the lines around them are stray output.

import { DEFAULT_MAX_FRAME_VALUES, hasMoreValues, ValueBudget } from '../base/count-json-values.ts';
import { decodeText } from '../base/decode-text.ts';
import { firstChars } from '../base/first-chars.ts';
import { jsonObjects } from '../base/json-in-text.ts';
import type { Noise } from '../base/noise.ts';
import type { FrameFault } from '../wire/framing/framing.ts';
import type { UnreadableAnswer } from '../wire/requests/pending-requests.ts';
import { checkIOBasic, type IOBasic, isAnswerType, parseIOBasic, traceIOBasic, Unreadable } from './io-basic.ts';

/** A message that was meant as an answer, or a part of one. */
export interface AnswerFault extends UnreadableAnswer {
  /** Undefined if the id could not be read or is not one of ours. */
  id: number | undefined;
  offset: number;
}

export interface AnswerSink {
  answer(answer: IOBasic): void;
  unreadable(fault: AnswerFault): void;
  noise(noise: Noise): void;
}

const SHOWN_CHARS = 1024;

export class AnswerReader {
  readonly #sink: AnswerSink;
  readonly #maxFrameValues: number;

  constructor(sink: AnswerSink, maxFrameValues: number = DEFAULT_MAX_FRAME_VALUES) {
    this.#sink = sink;
    this.#maxFrameValues = maxFrameValues;
  }

  frame(bytes: Uint8Array, offset: number): void {
    const text = decodeText(bytes);
    if (hasMoreValues(text, this.#maxFrameValues)) return this.#tooManyValues(text, offset);
    const message = parseIOBasic(text, text.length);
    if (!(message instanceof Unreadable) && isAnswerType(message.type)) this.#sink.answer(message);
    else this.#search(text, offset);
  }

  fault({ code, prefix, offset, length }: FrameFault): void {
    const text = decodeText(prefix);
    const problem =
      code === 'FRAME_TOO_LONG' ? `it has ${length} bytes, over maxFrameBytes` : 'the stream ended inside of it';
    const traced = traceIOBasic(text, problem);
    if (traced.isAnswer || code === 'FRAME_TOO_LONG') this.#sink.unreadable(faultOf(traced, code, offset));
    else this.#noise(text, offset);
  }

  /** The text is not searched for answers, because each candidate would have to be parsed. */
  #tooManyValues(text: string, offset: number): void {
    const traced = traceIOBasic(text, `it holds more than ${this.#maxFrameValues} JSON values (maxFrameValues)`);
    this.#sink.unreadable(faultOf(traced, 'TOO_MANY_VALUES', offset));
  }

  #search(text: string, offset: number): void {
    let behind = 0;
    let excess: number | undefined;
    const budget = new ValueBudget(this.#maxFrameValues);
    for (const { value, start, end } of jsonObjects(text, budget, (start) => (excess = start))) {
      if (!looksLikeAnswer(value)) continue;
      this.#noise(text.slice(behind, start), offset);
      const message = checkIOBasic(value, text.slice(start, end));
      if (message instanceof Unreadable) this.#sink.unreadable(faultOf(message, 'MESSAGE_INVALID', offset));
      else this.#sink.answer(message);
      behind = end;
    }
    if (excess !== undefined) {
      this.#noise(text.slice(behind, excess), offset);
      return this.#tooManyValues(text.slice(excess), offset);
    }
    const rest = text.slice(behind);
    const traced = behind === 0 ? traceIOBasic(text, 'it is not valid JSON') : undefined;
    if (traced?.isAnswer && traced.id !== undefined) {
      this.#sink.unreadable(faultOf(traced, 'MESSAGE_INVALID', offset));
    } else {
      this.#noise(rest, offset);
    }
  }

  /** `offset` is that of the frame. */
  #noise(text: string, offset: number): void {
    for (let start = 0; start < text.length; ) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      const shown = text.slice(start, end).trim();
      if (shown !== '') this.#sink.noise({ offset, length: end - start, text: firstChars(shown, SHOWN_CHARS, text) });
      start = end + 1;
    }
  }
}

function faultOf({ problem, id }: Unreadable, code: AnswerFault['code'], offset: number): AnswerFault {
  return { code, message: problem, id: typeof id === 'number' ? id : undefined, offset };
}

/** Log lines may be JSON with `"type":"info"` too; an answer also has an id or a version. */
function looksLikeAnswer(value: Record<string, unknown>): boolean {
  return typeof value.type === 'string' && isAnswerType(value.type) && ('id' in value || 'version' in value);
}
