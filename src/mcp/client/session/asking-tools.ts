// Which requests of a server are known to ask their client, or may be: declared in the config, seen to ask, or suspected because
// they ran when a question could not be attributed. Kept for all processes of one entry. Tools go by their name; prompts and
// resources by their method in addition.

/** A suspect that ran alone this often without a question is no longer one. */
const SILENT_RUNS = 3;
/** With more than this, all requests count as asking. */
const MOST_NAMES = 1000;

export interface QuestionStatus {
  /** How a question finds its client: it is part of the result of a call (2026-07-28), or it is known which calls are open. */
  attribution: 'result' | 'open calls';
  /** What runs with no call of another client beside it. `*`: everything. */
  alone: readonly string[];
  /** Questions that were refused because their client was not known, or had given up. */
  refused: number;
}

export class AskingTools {
  /** Questions that were refused because their client was not known, or had given up. */
  refused = 0;
  #all: boolean;
  /** How many silent runs clear it. */
  readonly #silentRuns = new Map<string, number>();

  /** `declared`: the names, or whether all are. */
  constructor(declared: boolean | readonly string[] = false) {
    this.#all = declared === true;
    if (typeof declared !== 'boolean') for (const name of declared) this.asked(name);
  }

  get isEmpty(): boolean {
    return !this.#all && this.#silentRuns.size === 0;
  }

  get names(): string[] {
    return this.#all ? ['*'] : [...this.#silentRuns.keys()];
  }

  has(name: string): boolean {
    return this.#all || this.#silentRuns.has(name);
  }

  /** It asked, for certain. */
  asked(name: string): void {
    this.#add(name, Number.POSITIVE_INFINITY);
  }

  /** It ran when a question could not be attributed. */
  suspected(name: string): void {
    const runs = this.#silentRuns.get(name) ?? 0;
    if (runs < SILENT_RUNS) this.#add(name, SILENT_RUNS);
  }

  /** It ran alone, and asked nothing. */
  ranSilently(name: string): void {
    const runs = this.#silentRuns.get(name);
    if (runs === undefined) return;
    if (runs > 1) this.#silentRuns.set(name, runs - 1);
    else this.#silentRuns.delete(name);
  }

  /** `era`: of the server; undefined if no process was connected yet. */
  status(era: 'legacy' | 'modern' | undefined): QuestionStatus {
    const isModern = era === 'modern';
    const attribution = isModern ? 'result' : 'open calls';
    return { attribution, alone: isModern ? [] : this.names, refused: this.refused };
  }

  #add(name: string, silentRuns: number): void {
    if (this.#silentRuns.size >= MOST_NAMES && !this.#silentRuns.has(name)) this.#all = true;
    else this.#silentRuns.set(name, silentRuns);
  }
}
