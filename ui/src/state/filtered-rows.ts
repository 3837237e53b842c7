// The rows that pass the filter, in order. Filtering runs in slices of at most SLICE_MS, and results are shown while it continues.
// New rows do not cause a new pass over the old ones. The rows of a task are folded into its first row until it is unfolded.

import { Cell } from './cell.ts';
import type { EventColumns } from './event-columns.ts';
import { nextTask } from './next-task.ts';
import { compileFilter, folds, noFilter, type WireFilter } from './wire-filter.ts';

const SLICE_MS = 8;
const ROWS_BETWEEN_LOOKS = 512;

export class FilteredRows {
  /** Changes whenever rows were found, or the filter changed. */
  readonly version = new Cell(0);
  readonly scanning = new Cell(false);
  /** Number of new rows held back while paused. */
  readonly held = new Cell(0);
  readonly #columns: EventColumns;
  readonly #nowMs: () => number;
  /** Events that contain the text of the filter outside the text of their row. */
  readonly #holders = new Set<number>();
  /** The numbers of the tasks whose rows are shown. */
  readonly #unfolded = new Set<number>();
  /** Number of rows that pass the filter and are folded. */
  folded = 0;
  #filter: WireFilter = noFilter;
  #folds = true;
  #passes: (index: number) => boolean;
  #found = new Int32Array(1024);
  #foundCount = 0;
  #scanned = 0;
  #pausedAt: number | undefined;
  #running = false;

  constructor(columns: EventColumns, nowMs = () => performance.now()) {
    this.#columns = columns;
    this.#nowMs = nowMs;
    this.#passes = compileFilter(noFilter, columns);
  }

  get count(): number {
    return this.#foundCount;
  }

  /** The index in the columns of the row at a position. */
  at(position: number): number {
    return this.#found[position]!;
  }

  /** The position of a row among the shown rows. For a row that is not shown: `~position` of the place where it would be. */
  positionOf(index: number): number {
    let low = 0;
    let high = this.#foundCount - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.#found[middle]!;
      if (found === index) return middle;
      if (found < index) low = middle + 1;
      else high = middle - 1;
    }
    return ~low;
  }

  /** Whether tasks can be folded under the current filter. */
  get folds(): boolean {
    return this.#folds;
  }

  isUnfolded(task: number): boolean {
    return this.#unfolded.has(task);
  }

  isFolded(index: number): boolean {
    return this.#folds && this.#columns.isPart(index) && !this.#unfolded.has(this.#columns.numbers.task[index]!);
  }

  fold(task: number): void {
    if (!this.#folds || !this.#unfolded.delete(task)) return;
    const kept = this.#found.subarray(0, this.#foundCount).filter((index) => !this.isFolded(index));
    this.folded += this.#foundCount - kept.length;
    this.#found.set(kept);
    this.#foundCount = kept.length;
    this.#changed();
  }

  unfold(task: number): void {
    if (!this.#folds || this.#unfolded.has(task)) return;
    this.#unfolded.add(task);
    const { numbers } = this.#columns;
    const added: number[] = [];
    for (let index = 0; index < this.#scanned; index++) {
      if (numbers.task[index] === task && this.positionOf(index) < 0 && this.#passes(index)) added.push(index);
    }
    this.folded -= added.length;
    this.#merge(added);
    this.#changed();
  }

  get paused(): boolean {
    return this.#pausedAt !== undefined;
  }

  pause(paused: boolean): void {
    this.#pausedAt = paused ? this.#columns.count : undefined;
    this.held.set(0);
    this.#changed();
    this.grow();
  }

  setFilter(filter: WireFilter): void {
    if (filter.text.trim() !== this.#filter.text.trim()) this.#holders.clear();
    this.#filter = filter;
    this.#folds = folds(filter);
    this.#restart();
  }

  /** Called after rows were added at the end. */
  grow(): void {
    if (this.#pausedAt !== undefined) this.held.set(this.#columns.count - this.#pausedAt);
    void this.#scan();
  }

  /** Called after rows were dropped from the front. */
  shift(gone: number): void {
    if (this.#pausedAt !== undefined) this.#pausedAt = Math.max(0, this.#pausedAt - gone);
    this.#restart();
  }

  /** Adds events that contain the text of the filter, in ascending order. Rows that are not loaded yet are shown when they arrive. */
  addHolders(seqs: readonly number[]): void {
    for (const seq of seqs) this.#holders.add(seq);
    const indices = seqs.map((seq) => this.#columns.indexOf(seq));
    const missing = indices.filter(
      (index) => index >= 0 && index < this.#scanned && this.positionOf(index) < 0 && this.#passes(index),
    );
    if (missing.length === 0) return;
    this.#merge(missing);
    this.#changed();
  }

  /** Tests changed rows again: a response may make its request pass, and a task may fold a row. */
  revisit(indices: readonly number[]): void {
    const { errorsOnly, slowerThanMs, task, text } = this.#filter;
    const matters = errorsOnly || slowerThanMs > 0 || task > 0 || text !== '' || this.#columns.tasks.size > 0;
    for (const index of matters ? indices : []) {
      if (index >= this.#scanned) continue;
      const position = this.positionOf(index);
      const isFolded = this.isFolded(index);
      if (position < 0 && !isFolded && this.#passes(index)) this.#insert(~position, index);
      else if (position >= 0 && isFolded) this.#remove(position);
    }
    this.#changed();
  }

  #restart(): void {
    this.#passes = compileFilter(this.#filter, this.#columns, (seq) => this.#holders.has(seq));
    this.#foundCount = 0;
    this.folded = 0;
    this.#scanned = 0;
    this.#changed();
    void this.#scan();
  }

  async #scan(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (this.#scanned < this.#end) {
      const before = this.#foundCount;
      this.#slice();
      if (this.#foundCount !== before) this.#changed();
      if (this.#scanned >= this.#end) break;
      this.scanning.set(true);
      await nextTask();
    }
    this.#running = false;
    this.scanning.set(false);
  }

  get #end(): number {
    return this.#pausedAt ?? this.#columns.count;
  }

  #slice(): void {
    const until = this.#nowMs() + SLICE_MS;
    const end = this.#end;
    if (this.#found.length < end) this.#found = copied(this.#found, Math.max(end, this.#found.length * 2));
    do {
      const stop = Math.min(end, this.#scanned + ROWS_BETWEEN_LOOKS);
      for (let index = this.#scanned; index < stop; index++) {
        if (!this.#passes(index)) continue;
        if (this.isFolded(index)) this.folded++;
        else this.#found[this.#foundCount++] = index;
      }
      this.#scanned = stop;
    } while (this.#scanned < end && this.#nowMs() < until);
  }

  /** Merges from the end, so that each element moves once. `indices` are ascending and not yet among the found. */
  #merge(indices: readonly number[]): void {
    const count = this.#foundCount + indices.length;
    if (this.#found.length < count) this.#found = copied(this.#found, Math.max(count, this.#found.length * 2));
    let [from, next] = [this.#foundCount - 1, indices.length - 1];
    for (let to = count - 1; next >= 0; to--) {
      const isOld = from >= 0 && this.#found[from]! > indices[next]!;
      this.#found[to] = isOld ? this.#found[from--]! : indices[next--]!;
    }
    this.#foundCount = count;
  }

  #insert(position: number, index: number): void {
    if (this.#found.length <= this.#foundCount) this.#found = copied(this.#found, this.#found.length * 2);
    this.#found.copyWithin(position + 1, position, this.#foundCount);
    this.#found[position] = index;
    this.#foundCount++;
  }

  #remove(position: number): void {
    this.#found.copyWithin(position, position + 1, this.#foundCount);
    this.#foundCount--;
    this.folded++;
  }

  #changed(): void {
    this.version.update((version) => version + 1);
  }
}

function copied(old: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(size);
  larger.set(old);
  return larger;
}
