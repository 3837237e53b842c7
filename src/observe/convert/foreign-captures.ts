// Captures of other programs as recordings. Each line of a capture becomes facts, which are written in the order of their time. Nothing is
// executed or resolved. Secrets with known names and forms are removed, as in every recording.

import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { decodeText } from '../../base/decode-text.ts';
import { UsageError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { ownCommand } from '../../base/own-command.ts';
import { redactor } from '../../base/secrets/redact.ts';
import type { FrameSink } from '../../wire/framing/framing.ts';
import { newline } from '../../wire/framing/newline.ts';
import { LONGEST_NAME } from '../flow/event.ts';
import { EventLines } from '../record/event-line.ts';
import { headerLine, newRunId } from '../record/run-header.ts';
import type { CapturedFact, CaptureReader } from './captured-fact.ts';
import { McpCassette } from './mcp-cassette.ts';
import { Mcpsnoop } from './mcpsnoop.ts';

interface CaptureFormat {
  /** Whether a capture of this format has such a first line. */
  recognises(line: JsonObject): boolean;
  open(): CaptureReader;
}

export const captureFormats: Readonly<Record<string, CaptureFormat>> = {
  mcpsnoop: {
    recognises: ({ session_id, direction }) => typeof session_id === 'string' && typeof direction === 'string',
    open: () => new Mcpsnoop(),
  },
  'mcp-cassette': {
    recognises: ({ type, cassetteVersion }) => type === 'header' && cassetteVersion !== undefined,
    open: () => new McpCassette(),
  },
};

export interface ConvertedCapture {
  /** The lines of the recording. */
  readonly lines: readonly string[];
  readonly format: string;
  readonly events: number;
  /** Describes the first line that was left out. */
  readonly skipped: string | undefined;
}

/** The whole capture is held in memory. */
const MOST_EVENTS = 200_000;
const MOST_BYTES = 256 * 1024 * 1024;
const LONGEST_LINE = 64 * 1024 * 1024;
/** The latest time of a date in JavaScript. */
const LATEST_DATE_MS = 8.64e15;

/** `from`: the name of the format. Default: that of the first line. */
export async function convertCapture(file: string, from?: string): Promise<ConvertedCapture> {
  const capture = new Capture(file, from);
  const decoder = newline().decoder({ maxFrameBytes: LONGEST_LINE });
  for await (const chunk of createReadStream(file) as AsyncIterable<Uint8Array>) {
    decoder.push(chunk, capture);
    capture.throwIfUnusable();
  }
  decoder.end(capture);
  capture.throwIfUnusable();
  return capture.converted();
}

class Capture implements FrameSink {
  readonly #file: string;
  #format: string | undefined;
  #reader: CaptureReader | undefined;
  #problem: UsageError | undefined;
  #lineNumber = 0;
  #bytes = 0;
  #facts: CapturedFact[] = [];
  #skipped: string | undefined;
  #skippedLines = 0;

  constructor(file: string, from: string | undefined) {
    this.#file = file;
    this.#format = from;
    this.#reader = from === undefined ? undefined : captureFormats[from]!.open();
  }

  frame(bytes: Uint8Array): void {
    this.#lineNumber++;
    this.#bytes += bytes.length;
    if (this.#bytes > MOST_BYTES) this.#problem ??= this.#tooLong();
    if (this.#problem || bytes.length === 0) return;
    const json = decodeText(bytes);
    const line = parsed(json);
    if (!line) return this.#skip('Not a JSON object');
    this.#reader ??= this.#readerFor(line);
    const found = this.#reader?.read(line, json);
    if (found === undefined) return;
    if (typeof found === 'string') return this.#skip(found);
    for (const fact of found) {
      if (fact.server.length > LONGEST_NAME || !(Math.abs(fact.dateMs) < LATEST_DATE_MS))
        return this.#skip('Its time or the name of its server is not usable');
      this.#facts.push(fact);
    }
    if (this.#facts.length > MOST_EVENTS) this.#problem = this.#tooLong();
  }

  fault({ code }: { code: string }): void {
    this.#lineNumber++;
    this.#skip(code === 'FRAME_TRUNCATED' ? 'The last line is incomplete' : 'The line is too long');
  }

  throwIfUnusable(): void {
    if (this.#problem) throw this.#problem;
  }

  converted(): ConvertedCapture {
    if (this.#facts.length === 0) throw this.#nothing();
    const facts = this.#facts.sort((a, b) => a.dateMs - b.dateMs); // the sort is stable
    const startedAt = new Date(facts[0]!.dateMs);
    const run = newRunId();
    const encoder = new EventLines(run, redactor());
    const about = { importedFrom: this.#format, file: basename(this.#file) };
    const lines = [headerLine({ run, startedAt, about })];
    facts.forEach(({ dateMs, server, life, fact }, index) => {
      lines.push(encoder.encode({ seq: index + 1, atMs: dateMs - startedAt.getTime(), server, life, ...fact }));
    });
    const more = this.#skippedLines > 1 ? ` (${this.#skippedLines} lines in all)` : '';
    const skipped = this.#skipped && `${this.#skipped}${more}`;
    return { lines, format: this.#format!, events: facts.length, skipped };
  }

  #readerFor(line: JsonObject): CaptureReader | undefined {
    const found = Object.entries(captureFormats).find(([, format]) => format.recognises(line));
    if (!found) {
      const isRecording = line.standpipe === 'recording';
      const what = isRecording
        ? 'is a recording already'
        : `is not a capture of ${Object.keys(captureFormats).join(' or ')}`;
      this.#problem = unusable(
        `${this.#file} ${what}`,
        isRecording
          ? undefined
          : (this.#skipped ??
              `Line ${this.#lineNumber} has the members ${Object.keys(line).slice(0, 5).join(', ') || 'of no known format'}`),
      );
      return undefined;
    }
    this.#format = found[0];
    return found[1].open();
  }

  #skip(why: string): void {
    this.#skippedLines++;
    this.#skipped ??= `Line ${this.#lineNumber} of ${this.#file} is left out: ${why}`;
  }

  #nothing(): UsageError {
    return unusable(`${this.#file} has no events of a capture`, this.#skipped);
  }

  #tooLong(): UsageError {
    const hint = 'Split the file by lines; each part needs the first line.';
    return unusable(`${this.#file} has more than ${MOST_EVENTS} events or ${MOST_BYTES / 1024 / 1024} MiB`, hint);
  }
}

function parsed(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the caller reports the line
  }
}

function unusable(message: string, hint = `\`${ownCommand} convert --help\` names the formats.`): UsageError {
  return new UsageError('RECORDING_UNUSABLE', message, { hint });
}
