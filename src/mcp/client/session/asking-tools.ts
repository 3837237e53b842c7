// Which requests of a server are known to ask their client, or may be: declared in the config, seen to ask, or suspected because
// they ran when a question could not be attributed. A suspicion concerns the requests of one principal: what one does must not
// change where the requests of others run. Kept for all processes of one entry. Tools go by their name; prompts and resources by
// their method in addition. A request without a name that can be remembered is never known to ask.

/** A suspect that ran this often without a question is no longer one. */
const SILENT_RUNS = 3;
/** Beyond this, the oldest is forgotten: whom a question reaches does not depend on it. */
const MOST_NAMES = 1000;

export interface QuestionStatus {
  /** How a question finds its client: it is part of the result of a call (2026-07-28), or it is known which calls are open. */
  attribution: 'result' | 'open calls';
  /** The tools that are known to ask, or may ask. `*`: all. */
  alone: readonly string[];
  /** Questions that were refused because their client was not known, or had given up. */
  refused: number;
}

export class AskingTools {
  /** Questions that were refused because their client was not known, or had given up. */
  refused = 0;
  readonly #all: boolean;
  readonly #known = new Set<string>();
  /** By principal and name: how many silent runs clear it. */
  readonly #suspects = new Map<string, { name: string; runs: number }>();

  /** `declared`: the names, or whether all are. */
  constructor(declared: boolean | readonly string[] = false) {
    this.#all = declared === true;
    if (typeof declared !== 'boolean') for (const name of declared) this.asked(name);
  }

  get isEmpty(): boolean {
    return !this.#all && this.#known.size + this.#suspects.size === 0;
  }

  get names(): string[] {
    if (this.#all) return ['*'];
    return [...new Set([...this.#known, ...[...this.#suspects.values()].map(({ name }) => name)])];
  }

  has(name: string | undefined, principal: string | undefined): boolean {
    if (this.#all || name === undefined) return this.#all;
    return this.#known.has(name) || this.#suspects.has(suspect(name, principal));
  }

  /** It asked, for certain. */
  asked(name: string | undefined): void {
    if (name === undefined) return;
    this.#known.add(name);
    forgetOldest(this.#known);
  }

  /** It ran when a question could not be attributed. */
  suspected(name: string | undefined, principal: string | undefined): void {
    if (name === undefined || this.#known.has(name)) return;
    this.#suspects.set(suspect(name, principal), { name, runs: SILENT_RUNS });
    forgetOldest(this.#suspects);
  }

  /** It ran, and asked nothing. */
  ranSilently(name: string | undefined, principal: string | undefined): void {
    if (name === undefined) return;
    const key = suspect(name, principal);
    const found = this.#suspects.get(key);
    if (found && --found.runs === 0) this.#suspects.delete(key);
  }

  /** `era`: of the server; undefined if no process was connected yet. */
  status(era: 'legacy' | 'modern' | undefined): QuestionStatus {
    const isModern = era === 'modern';
    const attribution = isModern ? 'result' : 'open calls';
    return { attribution, alone: isModern ? [] : this.names, refused: this.refused };
  }
}

function suspect(name: string, principal = ''): string {
  return `${principal}\n${name}`;
}

function forgetOldest(names: Set<string> | Map<string, unknown>): void {
  if (names.size <= MOST_NAMES) return;
  for (const oldest of names.keys()) {
    names.delete(oldest);
    return;
  }
}
