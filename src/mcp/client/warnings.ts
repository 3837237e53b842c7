// What was bent to understand a server, and what it does against the rules: each kind is reported once, in words.

import { firstChars } from '../../base/first-chars.ts';

export interface Warning {
  /** A stable name for this kind of thing. */
  topic: string;
  message: string;
}

export type Warn = (topic: string, message: string) => void;

/** A server decides how many kinds there are (one a tool, for some), so that the list must end somewhere. */
const MAX_WARNINGS = 200;
/** Some quote the server. */
const LONGEST_TEXT = 2000;

export class Warnings {
  readonly list: Warning[] = [];
  readonly #seen = new Set<string>();
  readonly #listener: ((warning: Warning) => void) | undefined;

  constructor(listener?: (warning: Warning) => void) {
    this.#listener = listener;
  }

  /** `detail` tells apart what deserves a report of its own: the name of a tool, say. */
  report = (topic: string, message: string, detail = ''): void => {
    const key = shortened(`${topic}\n${detail}`);
    if (this.#seen.size >= MAX_WARNINGS || this.#seen.has(key)) return;
    this.#seen.add(key);
    const warning = { topic, message: shortened(message) };
    this.list.push(warning);
    this.#listener?.(warning);
  };
}

function shortened(text: string): string {
  return text.length > LONGEST_TEXT ? `${firstChars(text, LONGEST_TEXT)}…` : text;
}
