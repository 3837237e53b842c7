// Splits the output of a LiteMCP peer into frames: messages and stray output.

import { isObject, type JsonObject } from '../../base/json-object.ts';
import { PROTOCOL_VERSION } from '../../litemcp/shape.ts';
import { parsed } from '../parsed-json.ts';
import type { Entry } from '../transcript.ts';
import { JsonInStream } from './json-in-stream.ts';

export interface Frame extends Entry {
  readonly kind: 'received';
  /** The message; undefined for text that is not a message. */
  readonly message: JsonObject | undefined;
  /** Number of newlines seen after the message. Three end it. */
  newlines: number;
}

export interface Message extends Frame {
  readonly message: JsonObject;
}

export class Frames {
  readonly all: Frame[] = [];
  readonly #onframe: (frame: Frame) => void;
  readonly #mayParse: (bytes: Buffer) => boolean;
  readonly #stream = new JsonInStream({
    object: (bytes) => {
      if (this.#mayParse(bytes)) this.#add(bytes, messageIn(bytes));
    },
    text: (bytes) => this.#add(bytes, undefined),
    newline: () => {
      const last = this.all.at(-1);
      if (last) last.newlines++;
    },
  });

  /** Objects for which `mayParse` returns false are dropped. */
  constructor(onframe: (frame: Frame) => void, mayParse: (bytes: Buffer) => boolean = () => true) {
    this.#onframe = onframe;
    this.#mayParse = mayParse;
  }

  get messages(): Message[] {
    return this.all.filter((frame) => frame.message !== undefined) as Message[];
  }

  /** The bytes of an incomplete message. */
  get rest(): Buffer {
    return this.#stream.rest;
  }

  /** Drops all other frames. */
  keepOnly(kept: ReadonlySet<Entry>): void {
    const frames = this.all.filter((frame) => kept.has(frame));
    this.all.splice(0, this.all.length);
    for (const frame of frames) this.all.push(frame);
  }

  /** Drops an incomplete message. */
  reset(): void {
    this.#stream.reset();
  }

  push(chunk: Buffer): void {
    this.#stream.push(chunk);
  }

  #add(bytes: Buffer, message: JsonObject | undefined): void {
    const frame: Frame = { kind: 'received', bytes, message, newlines: 0 };
    this.all.push(frame);
    this.#onframe(frame);
  }
}

const END = '\n\n\n';

export function requestText(id: number, type: string, data: unknown): string {
  return `${JSON.stringify({ version: PROTOCOL_VERSION, id, type, data })}${END}`;
}

/** Logs may be JSON too, so a message must have at least two of its three members. */
function messageIn(bytes: Buffer): JsonObject | undefined {
  const value = parsed(bytes.toString('utf8'));
  if (!isObject(value)) return undefined;
  return ['version', 'id', 'type'].filter((key) => key in value).length >= 2 ? value : undefined;
}
