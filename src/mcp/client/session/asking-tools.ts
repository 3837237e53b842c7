// Records which requests of a server ask their client questions, or may do so: declared in the config, seen to ask, or
// suspected because they ran when a question could not be attributed. A suspicion affects only the requests of one
// principal: one principal must not change where the requests of others run. The record is kept for all processes of
// one config entry. Tools are keyed by name; prompts and resources also by method. A request without a name that can be
// remembered never counts as asking.

/** A suspect that ran this often without a question is cleared. */
const SILENT_RUNS = 3;
/**
 * The maximum number of names per principal. Beyond it, the oldest is forgotten: the routing of questions does not
 * depend on it.
 */
const MOST_NAMES = 256;
/** The maximum number of principals. Beyond it, the names of the oldest are forgotten. */
const MOST_PRINCIPALS = 256;

export interface QuestionStatus {
  /**
   * How a question is assigned to its client: it is part of the result of a call (2026-07-28), or derived from the
   * pending calls.
   */
  attribution: 'result' | 'pending calls';
  /** The tools that ask or may ask. `*` stands for all. */
  alone: readonly string[];
  /** The number of questions refused because their client was unknown or had given up. */
  refused: number;
}

export class AskingTools {
  refused = 0;
  readonly #all: boolean;
  readonly #declared: ReadonlySet<string>;
  /** Names of requests, by the principal whose request asked first. */
  readonly #known = new NamesByPrincipal();
  /** Names of requests, by principal. The value is the number of runs without a question that clears the suspicion. */
  readonly #suspects = new NamesByPrincipal();

  /** `declared` holds the names, or true for all. */
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

  /** Records that the request certainly asked. */
  asked(name: string | undefined, principal: string | undefined): void {
    if (name !== undefined && !this.#isKnown(name)) this.#known.set(principal, name, 0);
  }

  /** Records that the request was running when a question arrived whose request is unknown. */
  suspected(name: string | undefined, principal: string | undefined): void {
    if (name !== undefined && !this.#isKnown(name)) this.#suspects.set(principal, name, SILENT_RUNS);
  }

  /** Records that the request ran without asking. */
  ranSilently(name: string | undefined, principal: string | undefined): void {
    const runs = name === undefined ? undefined : this.#suspects.get(principal, name);
    if (runs === 1) this.#suspects.delete(principal, name!);
    else if (runs !== undefined) this.#suspects.set(principal, name!, runs - 1);
  }

  /** `era` is that of the server; undefined if none was connected yet. */
  status(era: 'legacy' | 'modern' | undefined): QuestionStatus {
    const isModern = era === 'modern';
    const attribution = isModern ? 'result' : 'pending calls';
    return { attribution, alone: isModern ? [] : this.names, refused: this.refused };
  }

  #isKnown(name: string): boolean {
    return this.#declared.has(name) || this.#known.has(name);
  }
}

/** Names per principal: a principal can displace only its own names. */
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
