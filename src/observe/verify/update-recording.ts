// Writes new answers into a recording. Every other line stays as it is, byte for byte.

import { type FileHandle, open, stat } from 'node:fs/promises';
import { UsageError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import type { Redact } from '../../base/secrets/redact.ts';
import { escapeLineSeparators } from '../../base/to-json.ts';
import { rewritePrivately } from '../../wire/process/files/private-file.ts';
import { recordingFiles } from '../record/reader.ts';
import type { MessagePlace } from '../replay/recorded-exchange.ts';

export interface NewMessage {
  readonly place: MessagePlace;
  readonly message: JsonObject;
}

const COPY_BYTES = 1024 * 1024;

export class RecordingUpdate {
  readonly #file: string;
  readonly #redact: Redact;
  readonly #stamp: string;
  readonly #messages = new Map<number, NewMessage[]>();

  private constructor(file: string, redact: Redact, stamp: string) {
    this.#file = file;
    this.#redact = redact;
    this.#stamp = stamp;
  }

  /** Throws if the recording cannot be updated. */
  static async of(file: string, hasClients: boolean, redact: Redact): Promise<RecordingUpdate> {
    if ((await recordingFiles(file)).length > 1) {
      throw refused(file, 'has rotated files', 'Record the server again, with a larger --max-file-bytes.');
    }
    if (hasClients) {
      const hint = 'Record the server with a tap, or record the host again.';
      throw refused(file, 'also has the answers that clients of the host got', hint);
    }
    return new RecordingUpdate(file, redact, await stampOf(file));
  }

  put({ place, message }: NewMessage): void {
    const others = this.#messages.get(place.offset) ?? [];
    this.#messages.set(place.offset, [...others, { place, message }]);
  }

  /** Writes all messages. The file is replaced atomically, or not changed at all. */
  async write(): Promise<void> {
    if (this.#messages.size === 0) return;
    if ((await stampOf(this.#file)) !== this.#stamp) {
      throw refused(this.#file, 'was changed while it was verified', 'Verify it again when nothing writes to it.');
    }
    const source = await open(this.#file, 'r');
    try {
      await rewritePrivately(this.#file, async (target) => {
        let at = 0;
        for (const [offset, messages] of [...this.#messages].sort(([one], [other]) => one - other)) {
          const { length } = messages[0]!.place;
          await copy(source, target, at, offset);
          await target.write(this.#line(await bytesOf(source, offset, length), messages));
          at = offset + length;
        }
        await copy(source, target, at, Number.POSITIVE_INFINITY);
      });
    } finally {
      await source.close();
    }
  }

  /** The line of an event with other bytes. Its place in the stream is left out, because the stream had other bytes. */
  #line(line: Buffer, messages: readonly NewMessage[]): string {
    const { offset: _, base64, text, ...event } = JSON.parse(line.toString()) as JsonObject;
    const recorded: unknown = JSON.parse(String(text ?? Buffer.from(String(base64), 'base64')));
    let next: unknown = messages[0]!.message;
    if (Array.isArray(recorded)) {
      for (const { place, message } of messages) recorded[place.part ?? 0] = message;
      next = recorded;
    }
    const json = JSON.stringify(next);
    const kept = this.#redact(json);
    const redacted = event.redacted === true || kept !== json;
    const length = Buffer.byteLength(json);
    return escapeLineSeparators(JSON.stringify({ ...event, length, text: kept, ...(redacted && { redacted }) }));
  }
}

/** The recorded response with another result or error. */
export function newResponse(recorded: JsonObject, { result, error }: JsonObject): JsonObject {
  const { result: before, error: _, ...others } = recorded;
  if (error !== undefined) return { ...others, error };
  const meta = isObject(before) && before._meta !== undefined ? { _meta: before._meta } : {};
  return { ...others, result: { ...(isObject(result) ? result : {}), ...meta } };
}

async function copy(source: FileHandle, target: FileHandle, from: number, to: number): Promise<void> {
  for (let at = from; at < to; ) {
    const bytes = await bytesOf(source, at, Math.min(COPY_BYTES, to - at));
    if (bytes.length === 0) return;
    await target.write(bytes);
    at += bytes.length;
  }
}

async function bytesOf(source: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  const { bytesRead } = await source.read(buffer, 0, length, at);
  return buffer.subarray(0, bytesRead);
}

async function stampOf(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file);
  return `${ino} ${size} ${mtimeMs}`;
}

function refused(file: string, why: string, hint: string): UsageError {
  return new UsageError('RECORDING_UNUSABLE', `${file} cannot be updated: it ${why}`, { hint });
}
