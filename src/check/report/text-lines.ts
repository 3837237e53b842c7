// Lines of a report for a terminal: indented, wrapped, and with labels that the text is aligned behind.

import { type Colour, type Paint, painter } from '../../base/terminal/colours.ts';
import { wrapToWidth } from '../../base/terminal/text-width.ts';

export interface LineOptions {
  paint?: Paint;
  /** Columns to wrap at. Default: lines are not wrapped. */
  width?: number;
}

/** Half a link opens another page. */
function isLink(word: string): boolean {
  return /^(?:https?:\/\/|docs\/)/.test(word);
}

export class Lines {
  readonly paint: Paint;
  readonly #width: number;
  readonly #lines: string[] = [];

  constructor({ paint = painter(false), width = Number.POSITIVE_INFINITY }: LineOptions) {
    this.paint = paint;
    this.#width = width;
  }

  add(indent: number, text: string, colour?: Colour): void {
    for (const line of wrapToWidth(text, this.#width - indent, isLink)) this.#push(indent, '', line, colour);
  }

  /** The lines of the text are aligned behind the label. */
  labelled(indent: number, label: string, text: string, colour: Colour, textColour?: Colour): void {
    const from = indent + label.length + 1;
    for (const [at, line] of wrapToWidth(text, this.#width - from, isLink).entries()) {
      if (at === 0) this.#push(indent, `${this.paint(colour, label)} `, line, textColour);
      else this.#push(from, '', line, textColour);
    }
  }

  /** Not wrapped: the line is to be copied. */
  verbatim(indent: number, text: string): void {
    this.#push(indent, '', text, undefined);
  }

  #push(indent: number, label: string, line: string, colour: Colour | undefined): void {
    this.#lines.push(`${' '.repeat(indent)}${label}${colour && line ? this.paint(colour, line) : line}`);
  }

  blank(): void {
    this.#lines.push('');
  }

  text(): string {
    return `${this.#lines.map((line) => line.trimEnd()).join('\n')}\n`;
  }
}
