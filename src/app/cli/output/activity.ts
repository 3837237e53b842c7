// A line on the terminal that shows the current activity. It is removed when the activity ends and during questions to the user.
// Without a terminal it is not shown.

import { cutToWidth } from '../../../base/terminal/text-width.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import type { OutputStream } from './output.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Shorter activities are not shown. */
const QUIET_MS = 300;
const BAR_WIDTH = 20;

export interface Progress {
  progress: number;
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
    this.#label = label;
    this.#progress = undefined;
    this.#sinceMs = performance.now();
    if (!this.#terminal) return;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#draw(), FRAME_MS);
    this.#timer.unref();
  }

  progress(progress: Progress): void {
    this.#progress = progress;
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
