// Compares the actual runs (the lines of test/fixtures/fleet/journal-server.mjs) with the answers that callers got, and reports all
// violations. The order of the lines is the time: clocks are not compared.

/** Final outcome of a call, as its caller knows it. */
export type Fate =
  | { kind: 'answered'; text: string }
  /** `code`: code of the error. NOT_SENT guarantees that the call did not run; other codes guarantee nothing. */
  | { kind: 'failed'; code: string; text?: string };

export interface Call {
  id: string;
  server: string;
  isRepeatable: boolean;
  /** Gateway and transport of the call. */
  via?: string;
  /** Undefined: the call never settled. */
  fate: Fate | undefined;
}

/** One state of a claim in the directory, in the order of the revisions. */
export interface SeenClaim {
  server: string;
  slot: number;
  node: string;
  session: string;
  generation: number;
}

export interface Verdict {
  runs: number;
  processes: number;
  violations: string[];
}

interface Process {
  server: string;
  node: string;
  generation: string;
  pid: string;
}

interface Run extends Process {
  isDone: boolean;
}

export function checkHistory(
  lines: Iterable<string>,
  calls: Iterable<Call>,
  claims: Iterable<SeenClaim> = [],
): Verdict {
  const violations: string[] = [];
  const history = new History(violations);
  for (const line of lines) if (line !== '') history.read(line);
  for (const call of calls) history.checkCall(call);
  for (const id of history.unclaimed()) violations.push(`call ${id} ran, and no caller made it`);
  checkClaims(claims, violations);
  return { runs: history.runs, processes: history.processes, violations };
}

class History {
  runs = 0;
  processes = 0;
  readonly #violations: string[];
  readonly #runsOf = new Map<string, Run[]>();
  /** Newest process of each server that may have only one, from its `open` line. */
  readonly #newest = new Map<string, string>();
  readonly #nodeOf = new Map<string, string>();
  readonly #highest = new Map<string, number>();
  readonly #made = new Set<string>();

  constructor(violations: string[]) {
    this.#violations = violations;
  }

  read(line: string): void {
    const [event, server, node, generation, pid, id] = line.split(' ') as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const who = `${server} ${node} ${generation} ${pid}`;
    switch (event) {
      case 'violation':
        this.#violations.push(`${who} started while another process of ${server} was alive`);
        return;
      case 'open':
        this.#opened({ server, node, generation, pid }, who);
        this.processes++;
        return;
      case 'open-shared':
        this.processes++;
        return;
      case 'run':
      case 'done':
        this.#acted(who, server, event === 'run' ? `ran ${id}` : `answered ${id}`);
        if (event === 'run') this.#ran(id, { server, node, generation, pid, isDone: false });
        else this.#done(id, pid);
        return;
      case 'close':
        return;
      default:
        this.#violations.push(`The history has a line that is none: ${line}`);
    }
  }

  checkCall({ id, server, isRepeatable, via, fate }: Call): void {
    this.#made.add(id);
    const runs = this.#runsOf.get(id) ?? [];
    const through = via === undefined ? '' : ` (${via})`;
    const say = (text: string) => this.#violations.push(`call ${id}${through} ${text}`);
    if (!fate) say(`has no fate; it ran ${runs.length} times`);
    if (runs.length > 1 && !isRepeatable)
      say(`ran ${runs.length} times, and is not repeatable: ${runs.map(nameOf).join(', ')}`);
    if (runs.some((run) => run.server !== server)) say(`was for ${server}, and ran at ${runs.map(nameOf).join(', ')}`);
    if (fate?.kind === 'failed' && fate.code === 'NOT_SENT' && runs.length > 0) {
      say(`was reported as not sent, and ran: ${runs.map(nameOf).join(', ')}`);
    }
    if (fate?.kind !== 'answered') return;
    const [answered, ...where] = fate.text.split(' ');
    if (answered !== id) say(`got the answer of another: ${fate.text}`);
    else if (!runs.some((run) => run.isDone && nameOf(run) === where.join(' '))) {
      say(`was answered by ${where.join(' ')}, and ran there never: ${runs.map(nameOf).join(', ')}`);
    }
  }

  unclaimed(): string[] {
    return [...this.#runsOf.keys()].filter((id) => !this.#made.has(id));
  }

  #opened({ server, node, generation }: Process, who: string): void {
    this.#newest.set(server, who);
    if (generation === '-') return;
    const place = `${server} ${generation}`;
    const owner = this.#nodeOf.get(place);
    if (owner !== undefined && owner !== node) {
      this.#violations.push(`generation ${generation} of ${server} has two owners: ${owner} and ${node}`);
    }
    this.#nodeOf.set(place, node);
    const highest = this.#highest.get(server) ?? 0;
    if (Number(generation) < highest) {
      this.#violations.push(`${who} started after generation ${highest}`);
    } else this.#highest.set(server, Number(generation));
  }

  #acted(who: string, server: string, what: string): void {
    const newest = this.#newest.get(server);
    if (newest !== undefined && newest !== who) this.#violations.push(`${who} ${what} after ${newest} had started`);
  }

  #ran(id: string, run: Run): void {
    this.runs++;
    const runs = this.#runsOf.get(id);
    if (runs) runs.push(run);
    else this.#runsOf.set(id, [run]);
  }

  #done(id: string, pid: string): void {
    const run = this.#runsOf.get(id)?.find((each) => each.pid === pid && !each.isDone);
    if (run) run.isDone = true;
    else this.#violations.push(`process ${pid} answered call ${id}, which it never ran`);
  }
}

function nameOf({ server, node, generation, pid }: Process): string {
  return `${server} ${node} ${generation} ${pid}`;
}

function checkClaims(claims: Iterable<SeenClaim>, violations: string[]): void {
  const newest = new Map<string, SeenClaim>();
  for (const claim of claims) {
    const slot = `${claim.server}#${claim.slot}`;
    const before = newest.get(slot);
    newest.set(slot, claim);
    if (!before) continue;
    if (claim.generation < before.generation) {
      violations.push(`the generation of ${slot} fell from ${before.generation} to ${claim.generation}`);
    } else if (claim.generation === before.generation && claim.session !== before.session) {
      violations.push(`generation ${claim.generation} of ${slot} has two owners: ${before.node} and ${claim.node}`);
    }
  }
}
