// Where a command says things: its result on stdout and nothing else there, everything else on stderr. What comes from a
// server reaches a terminal only in its visible form; a pipe gets a result as it is. stderr is always for people.

import { Activity } from './activity.ts';
import { isColourful, type Paint, painter } from './colours.ts';
import { visible, visibleJson } from './visible.ts';

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

/** For a terminal that does not tell. */
const USUAL_WIDTH = 80;

export class Output {
  /** The result is one JSON document. */
  readonly json: boolean;
  /** Somebody looks at stdout. */
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

  /** Text of a server: made visible on a terminal, as it is in a pipe. */
  text(text: string): void {
    this.write(this.onTerminal ? visible(text) : text);
  }

  /** Text of our own, which may be coloured: what it quotes must be visible already. */
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

  /** One document a line, for what has no end. */
  documentLine(value: unknown): void {
    this.write(`${visibleJson(value, 0)}\n`);
  }

  /** A word to the person at the terminal; may be coloured: what it quotes must be visible already. */
  say(text: string): void {
    this.activity.pause();
    this.#stderr.write(`${text}\n`);
  }
}
