// A log file of limited size: what is older becomes `<file>.1`. It is written through a descriptor that stays the same, so that
// what Node.js prints to stdout or stderr on a crash is in the same file.

import { copyFileSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';

export const MAX_LOG_BYTES = 1024 * 1024;

export class BoundedLog {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #maxBytes: number;

  /** `descriptor`: of the file, opened for appending. */
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
      // there is no other place to report it
    }
  }

  #rotate(): void {
    copyFileSync(this.#file, `${this.#file}.1`); // with its mode
    ftruncateSync(this.#descriptor);
  }
}
