// The symptoms, prepared for the rules: stdout as text, the answers found in it, the language of the server.
// An answer is an object with a `result` or an `error` for a request; a log of our requests is not one.

import { shellHere } from '../../base/command-line.ts';
import { decodeText } from '../../base/decode-text.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { jsonObjects } from '../../base/top-level-json.ts';
import { type Language, languageOf } from './language.ts';
import type { Symptoms } from './symptoms.ts';

export interface FoundAnswer {
  value: JsonObject;
  /** The text of the answer in stdout. */
  text: string;
  /** Other text on the first and on the last line of the answer. */
  before: string;
  after: string;
  /** Whether a newline follows. */
  isEnded: boolean;
  /** Whether the first byte arrived when stdin was closed, or later. */
  isAfterEof: boolean;
}

export class Observations {
  readonly symptoms: Symptoms;
  /** The start of stdout. */
  readonly text: string;
  /** The text with long lines cut off, for patterns that describe text for people. */
  readonly lines: string;
  /** Whether `text` holds all of stdout. */
  readonly isWhole: boolean;
  /** The end of stderr, with long lines cut off. */
  readonly stderr: string;
  readonly language: Language | undefined;
  #answers: FoundAnswer[] | undefined;

  constructor(symptoms: Symptoms, shell = shellHere) {
    this.symptoms = symptoms;
    this.text = decodeText(symptoms.stdout);
    this.isWhole = symptoms.stdoutBytes <= symptoms.stdout.length;
    // Windows programs end lines with CRLF. Elsewhere, the carriage return belongs to the word before it.
    const withLineFeeds = (text: string) => (shell === 'powershell' ? text.replaceAll('\r\n', '\n') : text);
    this.lines = withShortLines(withLineFeeds(this.text));
    this.stderr = withShortLines(withLineFeeds(withoutColours(symptoms.stderr)));
    this.language = languageOf(symptoms.command);
  }

  /** Whether the server exited before its stdin was closed: a later exit proves nothing. */
  get hasExited(): boolean {
    return this.symptoms.exitCode !== undefined && this.symptoms.bytesBeforeEof === undefined;
  }

  get hasFailed(): boolean {
    return this.hasExited && this.symptoms.exitCode !== 0;
  }

  get answers(): readonly FoundAnswer[] {
    this.#answers ??= findAnswers(this.text, this.symptoms.bytesBeforeEof);
    return this.#answers;
  }

  /** The last text without a newline on each stream, which may be a prompt. */
  get openLines(): string[] {
    const streams = this.isWhole ? [this.text, this.symptoms.stderr] : [this.symptoms.stderr];
    return streams
      .map((text) => withoutColours(text.slice(text.lastIndexOf('\n') + 1)).trim())
      .filter((line) => line !== '');
  }
}

function findAnswers(text: string, bytesBeforeEof: number | undefined): FoundAnswer[] {
  const found: FoundAnswer[] = [];
  for (const { value, start, end } of jsonObjects(text)) {
    if (!isAnswer(value)) continue;
    const lineStart = text.lastIndexOf('\n', start) + 1;
    const newline = text.indexOf('\n', end);
    const bytes = bytesBeforeEof === undefined ? 0 : new TextEncoder().encode(text.slice(0, start)).length;
    found.push({
      value,
      text: text.slice(start, end),
      before: text.slice(lineStart, start),
      after: text.slice(end, newline < 0 ? undefined : newline),
      isEnded: newline >= 0,
      isAfterEof: bytesBeforeEof !== undefined && bytes >= bytesBeforeEof,
    });
  }
  return found;
}

/** Whether the object is an answer that opens or refuses a session: log lines can have an `id` and an `error` too. */
function isAnswer({ jsonrpc, id, method, result, error }: JsonObject): boolean {
  if (method !== undefined || (jsonrpc === undefined && id === undefined)) return false;
  if (isObject(error)) return typeof error.code === 'number' && typeof error.message === 'string';
  if (!isObject(result)) return false;
  return 'protocolVersion' in result || 'capabilities' in result || 'supportedVersions' in result;
}

/** A valid answer on a line of its own. */
export function isProper({ value, before, after, text, isEnded }: FoundAnswer): boolean {
  return value.jsonrpc === '2.0' && isEnded && before.trim() === '' && after.trim() === '' && !text.includes('\n');
}

/**
 * Limits the time of patterns that read to the end of a line from each position, which is quadratic in the length of
 * the line.
 */
const MOST_LINE_CHARS = 1000;

function withShortLines(text: string): string {
  if (text.length <= MOST_LINE_CHARS) return text;
  return text
    .split('\n')
    .map((line) => line.slice(0, MOST_LINE_CHARS))
    .join('\n');
}

export function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
  return text.replace(/\x1b\[[\d;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, '');
}
