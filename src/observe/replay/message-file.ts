// Reads single messages of a recording from their places.

import { type FileHandle, open } from 'node:fs/promises';
import { decodeText } from '../../base/decode-text.ts';
import { UsageError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { type LinePlace, parseEvent } from '../record/reader.ts';
import type { MessagePlace } from './recorded-exchange.ts';

export class MessageFile {
  readonly #file: string;
  readonly #handles = new Map<string, Promise<FileHandle>>();

  constructor(file: string) {
    this.#file = file;
  }

  async message(place: MessagePlace): Promise<JsonObject> {
    const event = await this.#event(place);
    if (event?.kind === 'frame') {
      const parsed = JSON.parse(decodeText(event.payload));
      const message = Array.isArray(parsed) ? parsed[place.part] : parsed;
      if (isObject(message)) return message;
    }
    throw this.#changed();
  }

  /** The text of a line of stderr. */
  async text(place: LinePlace): Promise<string> {
    const event = await this.#event(place);
    if (event?.kind === 'stderr') return decodeText(event.payload);
    throw this.#changed();
  }

  async close(): Promise<void> {
    const handles = [...this.#handles.values()];
    this.#handles.clear();
    await Promise.all(handles.map(async (handle) => (await handle).close()));
  }

  async #event({ file = this.#file, offset, length }: LinePlace) {
    let opened = this.#handles.get(file);
    if (!opened) {
      opened = open(file);
      this.#handles.set(file, opened);
    }
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await (await opened).read(buffer, 0, length, offset);
    try {
      const event = parseEvent(JSON.parse(buffer.toString('utf8', 0, bytesRead)));
      return event === 'unknown' ? undefined : event;
    } catch {
      throw this.#changed();
    }
  }

  #changed(): UsageError {
    return new UsageError('RECORDING_UNUSABLE', `${this.#file} was changed while it was used`, {
      hint: 'Copy a recording that is still being written, and use the copy.',
    });
  }
}
