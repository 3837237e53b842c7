// The full-screen view on a terminal: the alternate screen, keys, the size, and redrawing at most 20 times a second.

import { systemClock, type Timer } from '../../../base/clock.ts';
import { invalidOption } from '../invocation.ts';
import type { Output } from '../output/output.ts';
import type { Screen } from './screen.ts';

const DRAW_MS = 50;
const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys of a terminal begin with ESC
const keys = /\x1b\[[\d;]*[A-Za-z~]|\x1bO[A-Z]|[\s\S]/gu;

export class FullScreen {
  readonly #out: Output;
  readonly #ended: Promise<void>;
  #screen: Screen | undefined;
  #end!: () => void;
  #timer: Timer | undefined;
  #drawn = '';
  #error: unknown;

  constructor(out: Output) {
    this.#out = out;
    if (!out.onTerminal || !process.stdin.isTTY) {
      throw invalidOption('--tui needs a terminal', 'Leave it out to get one line for each request.');
    }
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Draws soon. */
  readonly changed = (): void => {
    if (this.#screen?.isOver) this.#end();
    this.#timer ??= systemClock.after(DRAW_MS, () => {
      this.#timer = undefined;
      this.#draw();
    });
  };

  /** Ends the view with an error. */
  fail(error: unknown): Promise<never> {
    this.#error = error;
    this.#end();
    return new Promise(() => undefined);
  }

  /** Resolves when the user ends the view. The terminal is restored in every case. */
  async show(screen: Screen, signal: AbortSignal): Promise<void> {
    this.#screen = screen;
    const { stdin, stdout } = process;
    const typed = (chunk: Buffer) => {
      for (const [key] of chunk.toString().matchAll(keys)) screen.key(key);
    };
    const restore = () => stdout.write(LEAVE);
    const redraw = () => {
      this.#drawn = '';
      this.changed();
    };
    stdin.setRawMode(true).on('data', typed).once('end', this.#end);
    stdout.on('resize', redraw);
    process.once('exit', restore);
    signal.addEventListener('abort', this.#end, { once: true });
    this.#out.write(ENTER);
    this.#draw();
    try {
      if (!signal.aborted) await this.#ended;
    } finally {
      this.#timer?.cancel();
      process.off('exit', restore);
      stdout.off('resize', redraw);
      stdin.off('data', typed).off('end', this.#end).setRawMode(false).pause();
      this.#screen = undefined;
      this.#out.write(LEAVE);
    }
    if (this.#error !== undefined) throw this.#error;
    signal.throwIfAborted();
  }

  #draw(): void {
    const { columns = 80, rows = 24 } = process.stdout;
    const lines = this.#screen?.lines(columns, rows) ?? [];
    const text = `\x1b[H${lines.map((line) => `${line}\x1b[0m\x1b[K`).join('\r\n')}`;
    if (text === this.#drawn) return;
    this.#drawn = text;
    this.#out.write(text);
  }
}
