// A log file of limited size; older content moves to `<file>.1`. The log is written through one constant descriptor, so that crash output
// that Node.js prints to stdout or stderr lands in the same file.

import { copyFileSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';

export const MAX_LOG_BYTES = 1024 * 1024;

export class BoundedLog {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #maxBytes: number;

  /** `descriptor`: the log file, opened for appending. */
  constructor(file: string, descriptor: number, maxBytes = MAX_LOG_BYTES) {
    this.#file = file;
    this.#descriptor = descriptor;
    this.#maxBytes = maxBytes;
  }

  /** Never throws: a full disk must not end the program that logs. */
  write(text: string): void {
    try {
      if (fstatSync(this.#descriptor).size + Buffer.byteLength(text) > this.#maxBytes) this.#rotate();
      writeSync(this.#descriptor, text);
    } catch {
      // there is nowhere else to report it
    }
  }

  #rotate(): void {
    copyFileSync(this.#file, `${this.#file}.1`); // the copy keeps the mode of the file
    ftruncateSync(this.#descriptor);
  }
}
