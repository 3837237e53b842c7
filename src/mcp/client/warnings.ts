// Collects deviations of a server from the protocol that were tolerated. Each kind is reported once.

import { firstChars } from '../../base/first-chars.ts';

export interface Warning {
  /** A stable name for this kind. */
  topic: string;
  message: string;
}

export type Warn = (topic: string, message: string) => void;

/**
 * Limit of the number of warnings. Some kinds have one warning per tool, so the server could otherwise determine their
 * number.
 */
const MAX_WARNINGS = 200;
/** Limit of a message in characters, because some messages quote the server. */
const LONGEST_TEXT = 2000;

export class Warnings {
  readonly list: Warning[] = [];
  readonly #seen = new Set<string>();
  readonly #listener: ((warning: Warning) => void) | undefined;

  constructor(listener?: (warning: Warning) => void) {
    this.#listener = listener;
  }

  /** `detail` separates warnings of one kind, for instance by the name of a tool. */
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
