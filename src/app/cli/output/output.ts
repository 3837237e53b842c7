// The output of a command: the result on stdout, everything else on stderr. Control characters in text from a server are escaped on a
// terminal and on stderr; a pipe gets the result unchanged.

import { isColourful, type Paint, painter } from '../../../base/terminal/colours.ts';
import { visible, visibleJson } from '../../../base/terminal/visible.ts';
import { Activity } from './activity.ts';

export interface OutputStream {
  write(chunk: string | Uint8Array): boolean;
  isTTY?: boolean;
  columns?: number;
}

export interface OutputOptions {
  stdout: OutputStream;
  stderr: OutputStream;
  env: NodeJS.ProcessEnv;
  json: boolean;
}

/** Width of a terminal that does not report one. */
const USUAL_WIDTH = 80;

export class Output {
  /** The result is one JSON document. */
  readonly json: boolean;
  /** stdout is a terminal. */
  readonly onTerminal: boolean;
  readonly paint: Paint;
  readonly paintError: Paint;
  readonly activity: Activity;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;

  constructor({ stdout, stderr, env, json }: OutputOptions) {
    this.json = json;
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.onTerminal = stdout.isTTY === true;
    this.paint = painter(isColourful(this.onTerminal, env));
    this.paintError = painter(isColourful(stderr.isTTY === true, env));
    this.activity = new Activity(stderr.isTTY === true && env.TERM !== 'dumb' ? stderr : undefined);
  }

  get width(): number {
    return this.#stdout.columns || USUAL_WIDTH;
  }

  /** Prints text from a server. Control characters are escaped on a terminal and unchanged in a pipe. */
  text(text: string): void {
    this.write(this.onTerminal ? visible(text) : text);
  }

  /** Prints text of the command, which may be coloured. Quoted text must already be escaped. */
  write(text: string): void {
    this.activity.pause();
    this.#stdout.write(text);
  }

  bytes(bytes: Uint8Array): void {
    this.activity.pause();
    this.#stdout.write(bytes);
  }

  document(value: unknown): void {
    this.write(`${visibleJson(value)}\n`);
  }

  /** Prints one document per line, for continuous output. */
  documentLine(value: unknown): void {
    this.write(`${visibleJson(value, 0)}\n`);
  }

  /** Prints a line to stderr, which may be coloured. Quoted text must already be escaped. */
  say(text: string): void {
    this.activity.pause();
    this.#stderr.write(`${text}\n`);
  }
}
