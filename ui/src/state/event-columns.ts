// The rows of the timeline, one typed array per column: 200,000 rows use little memory and cause no garbage collection pauses.
// Sequence numbers only increase. The oldest rows are dropped when there are more than MAX_ROWS.

import type { EventRow } from '../../../src/app/inspector/api.ts';

export const MAX_ROWS = 400_000;
const NONE = -1;

export const kinds = [
  ...(['spawn', 'frame', 'fault', 'stderr', 'state', 'signal', 'exit', 'stop', 'error', 'note', 'client'] as const),
  ...(['link', 'remote', 'http', 'hop'] as const),
];
/** Events without a row of their own. They are shown in the row that they belong to. */
export const isHidden = (kind: EventRow['kind']) => kind === 'link' || kind === 'hop';
const hiddenCodes = kinds.flatMap((kind, at) => (isHidden(kind) ? [at + 1] : []));
export const types = [...(['request', 'notification', 'response', 'invalid', 'batch', 'answers', 'noise'] as const)];
export const origins = ['page', 'lists'] as const;
export const directions = ['toServer', 'fromServer', 'fromClient', 'toClient'] as const;

export type RowUpdate = Pick<EventRow, 'seq' | 'latencyMs' | 'pairSeq' | 'error' | 'note' | 'task'>;

const numeric = ['seq', 'atMs', 'life', 'size', 'latencyMs', 'pairSeq', 'task'] as const;
const named = ['server', 'client', 'method', 'tool', 'error', 'note'] as const;
const coded = ['kind', 'type', 'direction', 'origin'] as const;

export class EventColumns {
  count = 0;
  /** Number of rows dropped from the front. */
  dropped = 0;
  /** Number of rows that are not shown by themselves: links and hops. */
  hidden = 0;
  readonly servers = new Names();
  readonly methods = new Names();
  readonly tools = new Names();
  readonly errors = new Names();
  readonly notes = new Names();
  numbers = tables(numeric, () => new Float64Array(1024));
  names = tables(named, () => new Uint32Array(1024));
  codes = tables(coded, () => new Uint8Array(1024));
  ids: (string | number | undefined)[] = [];
  summaries: string[] = [];
  /** By the number of a task: the first row of the task, which represents all of its rows, and the number of its rows. */
  readonly tasks = new Map<number, { headSeq: number; rows: number }>();

  append(rows: readonly EventRow[]): void {
    this.#reserve(this.count + rows.length);
    for (const row of rows) if (row.seq > this.newestSeq) this.#put(this.count++, row);
  }

  get newestSeq(): number {
    return this.count === 0 ? 0 : this.numbers.seq[this.count - 1]!;
  }

  isHidden(index: number): boolean {
    return hiddenCodes.includes(this.codes.kind[index]!);
  }

  /** The current index of the row, or -1. */
  indexOf(seq: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.numbers.seq[middle]!;
      if (found === seq) return middle;
      if (found < seq) low = middle + 1;
      else high = middle - 1;
    }
    return NONE;
  }

  /** Whether the row belongs to a task and is not its first. */
  isPart(index: number): boolean {
    const task = this.tasks.get(this.numbers.task[index]!);
    return task !== undefined && task.headSeq !== this.numbers.seq[index];
  }

  /** Returns the indices of the changed rows. */
  update({ seq, latencyMs, pairSeq, error, note, task }: RowUpdate): number[] {
    const index = this.indexOf(seq);
    if (index === NONE) return [];
    if (latencyMs !== undefined) this.numbers.latencyMs[index] = latencyMs;
    if (pairSeq !== undefined) this.numbers.pairSeq[index] = pairSeq;
    if (error !== undefined) this.names.error[index] = this.errors.number(error);
    if (note !== undefined) this.names.note[index] = this.notes.number(note);
    if (pairSeq !== undefined) this.#completeAnswer(this.indexOf(pairSeq), index);
    if (task === undefined || this.numbers.task[index] !== NONE) return [index];
    const head = this.tasks.get(task)?.headSeq ?? NONE;
    this.numbers.task[index] = task;
    this.#join(task, seq);
    return [index, this.indexOf(head)].filter((changed) => changed !== NONE);
  }

  /** The request that became a task may join it after the rows that follow. */
  #join(task: number, seq: number): void {
    const known = this.tasks.get(task);
    if (!known) this.tasks.set(task, { headSeq: seq, rows: 1 });
    else Object.assign(known, { headSeq: Math.min(known.headSeq, seq), rows: known.rows + 1 });
  }

  /** Copies method and tool of the request to a response that arrived without them. */
  #completeAnswer(answer: number, request: number): void {
    if (answer === NONE || this.numbers.pairSeq[answer] !== NONE) return;
    this.numbers.pairSeq[answer] = this.numbers.seq[request]!;
    this.numbers.latencyMs[answer] = this.numbers.latencyMs[request]!;
    for (const name of ['method', 'tool'] as const) this.names[name][answer] ||= this.names[name][request]!;
  }

  row(index: number): EventRow {
    const { numbers, names, codes } = this;
    const row: EventRow = {
      seq: numbers.seq[index]!,
      atMs: numbers.atMs[index]!,
      server: this.servers.name(names.server[index]!) ?? '',
      life: numbers.life[index]!,
      kind: kinds[codes.kind[index]! - 1] ?? 'note',
      summary: this.summaries[index] ?? '',
    };
    row.client = this.servers.name(names.client[index]!);
    row.type = types[codes.type[index]! - 1];
    row.direction = directions[codes.direction[index]! - 1];
    row.origin = origins[codes.origin[index]! - 1];
    row.method = this.methods.name(names.method[index]!);
    row.tool = this.tools.name(names.tool[index]!);
    row.error = this.errors.name(names.error[index]!);
    row.note = this.notes.name(names.note[index]!);
    row.id = this.ids[index];
    row.size = known(numbers.size[index]!);
    row.latencyMs = known(numbers.latencyMs[index]!);
    row.pairSeq = known(numbers.pairSeq[index]!);
    row.task = known(numbers.task[index]!);
    return row;
  }

  /** If there are more than `max` rows, keeps the newest `max * 0.75`. Returns the number of dropped rows. */
  trim(max = MAX_ROWS): number {
    if (this.count <= max) return 0;
    const gone = this.count - Math.floor(max * 0.75);
    for (let index = 0; index < gone; index++) if (this.isHidden(index)) this.hidden--;
    for (const table of [this.numbers, this.names, this.codes]) {
      for (const column of Object.values(table)) column.copyWithin(0, gone, this.count);
    }
    this.ids = this.ids.slice(gone);
    this.summaries = this.summaries.slice(gone);
    this.count -= gone;
    this.dropped += gone;
    this.tasks.clear();
    for (let index = 0; index < this.count; index++) this.#joinAt(index);
    return gone;
  }

  #joinAt(index: number): void {
    const task = this.numbers.task[index]!;
    if (task !== NONE) this.#join(task, this.numbers.seq[index]!);
  }

  #put(index: number, row: EventRow): void {
    const { numbers, names, codes } = this;
    numbers.seq[index] = row.seq;
    numbers.atMs[index] = row.atMs;
    numbers.life[index] = row.life;
    numbers.size[index] = row.size ?? NONE;
    numbers.latencyMs[index] = row.latencyMs ?? NONE;
    numbers.pairSeq[index] = row.pairSeq ?? NONE;
    numbers.task[index] = row.task ?? NONE;
    names.server[index] = this.servers.number(row.server);
    names.client[index] = this.servers.number(row.client);
    names.method[index] = this.methods.number(row.method);
    names.tool[index] = this.tools.number(row.tool);
    names.error[index] = this.errors.number(row.error);
    names.note[index] = this.notes.number(row.note);
    codes.kind[index] = kinds.indexOf(row.kind) + 1;
    codes.type[index] = row.type === undefined ? 0 : types.indexOf(row.type) + 1;
    codes.direction[index] = row.direction === undefined ? 0 : directions.indexOf(row.direction) + 1;
    codes.origin[index] = row.origin === undefined ? 0 : origins.indexOf(row.origin) + 1;
    this.ids[index] = row.id;
    this.summaries[index] = row.summary;
    if (isHidden(row.kind)) this.hidden++;
    this.#joinAt(index);
  }

  #reserve(count: number): void {
    const have = this.numbers.seq.length;
    if (count <= have) return;
    const size = Math.max(count, have * 2);
    for (const name of numeric) this.numbers[name] = grown(this.numbers[name], new Float64Array(size));
    for (const name of named) this.names[name] = grown(this.names[name], new Uint32Array(size));
    for (const name of coded) this.codes[name] = grown(this.codes[name], new Uint8Array(size));
  }
}

function known(value: number): number | undefined {
  return value === NONE ? undefined : value;
}

function grown<T extends Float64Array | Uint32Array | Uint8Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

function tables<K extends string, T>(names: readonly K[], make: () => T): Record<K, T> {
  return Object.fromEntries(names.map((name) => [name, make()])) as Record<K, T>;
}

/** Interned strings. A row stores their number. */
class Names {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** Returns 0 for undefined. */
  number(name: string | undefined): number {
    if (name === undefined) return 0;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.list.push(name);
    this.#numbers.set(name, this.list.length);
    return this.list.length;
  }

  name(number: number): string | undefined {
    return this.list[number - 1];
  }
}
