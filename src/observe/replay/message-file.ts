// Reads single messages of a recording from their places.

import { type FileHandle, open } from 'node:fs/promises';
import { decodeText } from '../../base/decode-text.ts';
import { UsageError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/to-json.ts';
import { ParsedBatches } from '../record/parsed-batches.ts';
import { type LinePlace, parseEvent } from '../record/reader.ts';
import type { MessagePlace } from './recorded-exchange.ts';

export class MessageFile {
  readonly #file: string;
  readonly #handles = new Map<string, Promise<FileHandle>>();
  readonly #batches = new ParsedBatches<string>();
  #isClosed = false;

  constructor(file: string) {
    this.#file = file;
  }

  async message(place: MessagePlace): Promise<JsonObject> {
    const parsed = place.part === undefined ? parse(await this.text(place)) : await this.#batch(place);
    const message = Array.isArray(parsed) ? parsed[place.part ?? 0] : parsed;
    if (!isObject(message)) throw this.#changed();
    // Each caller may change its message.
    return place.part === undefined || isNestedTooDeeply(message) ? message : structuredClone(message);
  }

  async #batch(place: MessagePlace): Promise<unknown> {
    const key = `${place.offset} ${place.file ?? ''}`;
    const known = this.#batches.find(key);
    if (known) return known;
    const parsed = parse(await this.text(place));
    if (Array.isArray(parsed)) this.#batches.keep(key, parsed, place.length);
    return parsed;
  }

  /** The text of a frame or of a line of stderr. */
  async text(place: LinePlace): Promise<string> {
    const event = parse(await this.#line(place));
    const parsed = isObject(event) ? parseEvent(event) : undefined;
    if (parsed !== 'unknown' && (parsed?.kind === 'frame' || parsed?.kind === 'stderr')) {
      return decodeText(parsed.payload);
    }
    throw this.#changed();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const handles = [...this.#handles.values()];
    this.#handles.clear();
    await Promise.all(handles.map((handle) => handle.then((each) => each.close()).catch(() => undefined)));
  }

  async #line({ file = this.#file, offset, length }: LinePlace): Promise<string> {
    if (this.#isClosed) throw new UsageError('RECORDING_UNUSABLE', `The recording ${this.#file} was closed`);
    let opened = this.#handles.get(file);
    if (!opened) {
      opened = open(file);
      this.#handles.set(file, opened);
    }
    const buffer = Buffer.allocUnsafe(length);
    try {
      const { bytesRead } = await (await opened).read(buffer, 0, length, offset);
      return buffer.toString('utf8', 0, bytesRead);
    } catch (cause) {
      throw this.#changed(cause);
    }
  }

  #changed(cause?: unknown): UsageError {
    return new UsageError('RECORDING_UNUSABLE', `${this.#file} was changed while it was used`, {
      cause,
      hint: 'Copy a recording that is still being written, and use the copy.',
    });
  }
}

/** Returns undefined for a text that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
