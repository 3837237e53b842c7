// The output of a command: the result on stdout, everything else on stderr. Control characters in text from a server are escaped on a
// terminal and on stderr; a pipe gets the result unchanged.

import { isColourful, type Paint, painter } from '../../../base/terminal/colours.ts';
import { cutToWidth } from '../../../base/terminal/text-width.ts';
import { visible, visibleJson, visibleLine } from '../../../base/terminal/visible.ts';

export interface OutputStream {
  write(chunk: string | Uint8Array): boolean;
  isTTY?: boolean;
  columns?: number;
  writableNeedDrain?: boolean;
  on?(event: 'drain' | 'close', listener: () => void): unknown;
  off?(event: 'drain' | 'close', listener: () => void): unknown;
}

export interface OutputOptions {
  stdout: OutputStream;
  stderr: OutputStream;
  env: NodeJS.ProcessEnv;
  json: boolean;
}

const USUAL_WIDTH = 80;

const wordColours = { error: 'red', warning: 'yellow', ignored: 'yellow', hint: 'cyan' } as const;

export class Output {
  /** The result is one JSON document. */
  readonly json: boolean;
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

  /** Resolves when the reader has taken most of the output. A reader that is gone takes everything. */
  async drained(): Promise<void> {
    const stdout = this.#stdout;
    if (!stdout.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        for (const event of ['drain', 'close'] as const) stdout.off?.(event, done);
        resolve();
      };
      for (const event of ['drain', 'close'] as const) stdout.on?.(event, done);
    });
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

  /** Prints a line to stderr after a coloured word. Quoted text must already be escaped. */
  tell(word: keyof typeof wordColours, text: string): void {
    this.say(`${this.paintError(wordColours[word], `${word}:`)} ${text}`);
  }

  /** Prints a line to stderr, which may be coloured. Quoted text must already be escaped. */
  say(text: string): void {
    this.activity.pause();
    this.#stderr.write(`${text}\n`);
  }
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Activities that are shorter than this are not shown. */
const QUIET_MS = 300;
const BAR_WIDTH = 20;

export interface Progress {
  progress?: number | undefined;
  total?: number | undefined;
  message?: string | undefined;
}

export class Activity {
  readonly #terminal: OutputStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #label = '';
  #progress: Progress | undefined;
  #sinceMs = 0;
  #frame = 0;
  #shown = false;
  #holds = 0;

  constructor(terminal: OutputStream | undefined) {
    this.#terminal = terminal;
  }

  begin(label: string): void {
    if (!this.#terminal) return;
    this.#label = label;
    this.#progress = undefined;
    this.#sinceMs = performance.now();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
    this.#timer.unref();
  }

  progress(progress: Progress): void {
    this.#progress = progress;
  }

  /** Changes the description of the activity. Its elapsed time continues. */
  update(label: string, message: string | undefined): void {
    this.#label = label;
    this.#progress = { message };
  }

  /** Removes the line for other output; it is shown again afterwards. */
  pause(): void {
    if (this.#shown) this.#terminal?.write('\r\x1b[2K');
    this.#shown = false;
  }

  /** Removes the line during a question to the user, until the returned function is called. */
  hold(): () => void {
    this.pause();
    this.#holds++;
    let isHeld = true;
    return () => {
      if (isHeld) this.#holds--;
      isHeld = false;
    };
  }

  end(): void {
    clearInterval(this.#timer);
    this.pause();
  }

  #draw(): void {
    const elapsedMs = performance.now() - this.#sinceMs;
    if (elapsedMs < QUIET_MS || this.#holds > 0) return;
    const spinner = FRAMES[this.#frame++ % FRAMES.length]!;
    const line = `${spinner} ${visibleLine(this.#label)} ${describeProgress(this.#progress)}${Math.floor(elapsedMs / 1000)} s`;
    this.#terminal?.write(`\r\x1b[2K${cutToWidth(line, (this.#terminal.columns || 80) - 1)}`);
    this.#shown = true;
  }
}

export function describeProgress(progress: Progress | undefined): string {
  if (!progress) return '';
  const message = typeof progress.message === 'string' && progress.message ? `${visibleLine(progress.message)} ` : '';
  if (typeof progress.progress !== 'number') return message; // the value comes from a server
  if (typeof progress.total !== 'number' || !(progress.total > 0)) return `${progress.progress} ${message}`;
  const share = Math.min(1, Math.max(0, progress.progress / progress.total));
  const filled = Math.round(share * BAR_WIDTH);
  return `[${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}] ${Math.floor(share * 100)}% ${message}`;
}
