// Collects the unusable lines of a recording, for one message that names the first line.

import { shellWord } from '../../base/command-line.ts';
import { ownCommand } from '../../base/own-command.ts';
import { lineNumber } from './line-number.ts';
import { INCOMPLETE_LINE, type LinePlace, type RecordingItem } from './reader.ts';

/** The first line of a capture that `convert` reads. */
const capture = /"cassetteVersion"\s*:|"session_id"\s*:/;

export class DamagedLines {
  readonly #path: string;
  #first: (LinePlace & { reason: string; prefix: string }) | undefined;
  #count = 0;

  /** `path`: the file of the items that do not name a file. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Number of unusable lines. An incomplete last line is not counted: a killed writer leaves such a line. */
  get count(): number {
    return this.#count;
  }

  see(item: RecordingItem): void {
    if (item.type !== 'damage') return;
    if (this.#count === 0) this.#first = item;
    if (item.reason !== INCOMPLETE_LINE) this.#count++;
  }

  /** Describes the first unusable line, even an incomplete one. */
  async describe(): Promise<string | undefined> {
    if (!this.#first) return undefined;
    const { file = this.#path, offset, reason } = this.#first;
    const more = this.#count > 1 ? ` (${this.#count} unusable lines in all)` : '';
    const isCapture = capture.test(this.#first.prefix) && this.#count > 0;
    const how = isCapture
      ? `. It is a capture of another program: ${ownCommand} convert ${shellWord(file)} --to recording`
      : '';
    return `Line ${await lineNumber(file, offset)} of ${file} is unusable: ${reason}${more}${how}`;
  }
}
