// Asks questions at the terminal, each answered by one line. Lines that were pasted or typed ahead answer the next questions.

import { createInterface } from 'node:readline';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { unlessAborted } from '../../../base/wait.ts';

/** Ctrl-D, or the terminal was closed. */
export class EndOfInput extends Error {}

export class TypedLines {
  readonly #lines = createInterface({ input: process.stdin, output: process.stderr });
  readonly #ahead: string[] = [];
  #isClosed = false;
  /** Called with the next line; without one at the end of the input. */
  #next: ((line?: string) => void) | undefined;

  constructor() {
    this.#lines.on('line', (line) => {
      if (!this.#answer(line)) this.#ahead.push(line);
    });
    this.#lines.on('close', () => {
      this.#isClosed = true;
      this.#answer();
    });
    // While readline reads from the terminal, Ctrl-C emits its SIGINT event and sends no signal.
    this.#lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  }

  async ask(question: string, signal: AbortSignal): Promise<string> {
    const known = this.#ahead.shift();
    if (known !== undefined) {
      process.stderr.write(`${question}${visibleLine(known)}\n`);
      return known;
    }
    if (this.#isClosed) throw new EndOfInput();
    this.#lines.setPrompt(question);
    this.#lines.prompt();
    const answer = new Promise<string>((resolve, reject) => {
      this.#next = (line) => (line === undefined ? reject(new EndOfInput()) : resolve(line));
    });
    return unlessAborted(answer, signal);
  }

  close(): void {
    this.#lines.close();
  }

  /** Several lines may arrive in one turn: only the first one answers the question. */
  #answer(line?: string): boolean {
    const next = this.#next;
    this.#next = undefined;
    next?.(line);
    return next !== undefined;
  }
}
