// Which requests of a server are known to ask their client, or may be: declared in the config, seen to ask, or suspected because
// they ran when a question could not be attributed. A suspicion concerns the requests of one principal: what one does must not
// change where the requests of others run. Kept for all processes of one entry. Tools go by their name; prompts and resources by
// their method in addition. A request without a name that can be remembered is never known to ask.

/** A suspect that ran this often without a question is no longer one. */
const SILENT_RUNS = 3;
/** Because of one principal. Beyond this, its oldest is forgotten: whom a question reaches does not depend on it. */
const MOST_NAMES = 256;
/** Beyond this, what the oldest caused is forgotten. */
const MOST_PRINCIPALS = 256;

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
  readonly #declared: ReadonlySet<string>;
  /** By the principal whose request asked first. */
  readonly #known = new NamesByPrincipal();
  /** How many silent runs clear it. */
  readonly #suspects = new NamesByPrincipal();

  /** `declared`: the names, or whether all are. */
  constructor(declared: boolean | readonly string[] = false) {
    this.#all = declared === true;
    this.#declared = new Set(typeof declared === 'boolean' ? [] : declared);
  }

  get isEmpty(): boolean {
    return !this.#all && this.#declared.size === 0 && this.#known.isEmpty && this.#suspects.isEmpty;
  }

  get names(): string[] {
    if (this.#all) return ['*'];
    return [...new Set([...this.#declared, ...this.#known.names(), ...this.#suspects.names()])];
  }

  has(name: string | undefined, principal: string | undefined): boolean {
    if (this.#all || name === undefined) return this.#all;
    return this.#isKnown(name) || this.#suspects.get(principal, name) !== undefined;
  }

  /** It asked, for certain. */
  asked(name: string | undefined, principal: string | undefined): void {
    if (name !== undefined && !this.#isKnown(name)) this.#known.set(principal, name, 0);
  }

  /** It ran when a question could not be attributed. */
  suspected(name: string | undefined, principal: string | undefined): void {
    if (name !== undefined && !this.#isKnown(name)) this.#suspects.set(principal, name, SILENT_RUNS);
  }

  /** It ran, and asked nothing. */
  ranSilently(name: string | undefined, principal: string | undefined): void {
    const runs = name === undefined ? undefined : this.#suspects.get(principal, name);
    if (runs === 1) this.#suspects.delete(principal, name!);
    else if (runs !== undefined) this.#suspects.set(principal, name!, runs - 1);
  }

  /** `era`: of the server; undefined if no process was connected yet. */
  status(era: 'legacy' | 'modern' | undefined): QuestionStatus {
    const isModern = era === 'modern';
    const attribution = isModern ? 'result' : 'open calls';
    return { attribution, alone: isModern ? [] : this.names, refused: this.refused };
  }

  #isKnown(name: string): boolean {
    return this.#declared.has(name) || this.#known.has(name);
  }
}

/** A principal displaces only names of its own. */
class NamesByPrincipal {
  readonly #byPrincipal = new Map<string | undefined, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#byPrincipal.size === 0;
  }

  *names(): Iterable<string> {
    for (const names of this.#byPrincipal.values()) yield* names.keys();
  }

  has(name: string): boolean {
    for (const names of this.#byPrincipal.values()) if (names.has(name)) return true;
    return false;
  }

  get(principal: string | undefined, name: string): number | undefined {
    return this.#byPrincipal.get(principal)?.get(name);
  }

  set(principal: string | undefined, name: string, value: number): void {
    const names = this.#byPrincipal.get(principal) ?? new Map<string, number>();
    this.#byPrincipal.set(principal, names.set(name, value));
    keepNewest(names, MOST_NAMES);
    keepNewest(this.#byPrincipal, MOST_PRINCIPALS);
  }

  delete(principal: string | undefined, name: string): void {
    const names = this.#byPrincipal.get(principal);
    names?.delete(name);
    if (names?.size === 0) this.#byPrincipal.delete(principal);
  }
}

function keepNewest<K>(entries: Map<K, unknown>, most: number): void {
  if (entries.size <= most) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
