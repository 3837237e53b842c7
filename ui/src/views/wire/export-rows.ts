// Exports rows as a recording with all bytes, which the backend writes, or as the text of the rows.

import { api } from '../../api/request.ts';
import { columns, wireRows } from '../../state/inspected.ts';
import { nextTask } from '../../state/next-task.ts';

export interface Saved {
  parts: BlobPart[];
  /** Number of exported rows. Some may have been dropped in the meantime. */
  rows: number;
}

const LF = 0x0a;
const SLICE_ROWS = 2_000;

/**
 * The rows between two positions, with the folded messages of their tasks. Sequence numbers, because indexes change when old rows are
 * dropped. `rows`: their number without hidden link events, which connect requests.
 */
export function seqsBetween(first: number, last: number): { seqs: number[]; rows: number } {
  const seqs: number[] = [];
  const tasks = new Set<number>();
  const end = wireRows.at(last);
  let [position, hidden] = [first, 0];
  for (let index = wireRows.at(first); index < columns.count; index++) {
    const task = columns.numbers.task[index]!;
    if (position <= last && index === wireRows.at(position)) {
      position++;
      if (task > 0) tasks.add(task);
    } else if (columns.isHidden(index) && index < end) hidden++;
    else if (!wireRows.isFolded(index) || !tasks.has(task)) continue;
    seqs.push(columns.numbers.seq[index]!);
  }
  return { seqs, rows: seqs.length - hidden };
}

export async function recordingOf(
  seqs: readonly number[],
  onRows: (count: number) => void,
  signal: AbortSignal,
): Promise<Saved> {
  const { body } = await api.exportEvents({ ranges: rangesOf(seqs) }, signal);
  const parts: BlobPart[] = [];
  let lines = 0;
  const reader = body!.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    parts.push(next.value);
    for (let at = next.value.indexOf(LF); at >= 0; at = next.value.indexOf(LF, at + 1)) lines++;
    onRows(Math.max(0, lines - 1));
  }
  return { parts, rows: lines - 1 }; // the first line is the header
}

export async function rowLinesOf(seqs: readonly number[], onRows: (count: number) => void): Promise<Saved> {
  const parts: string[] = [];
  let rows = 0;
  for (let from = 0; from < seqs.length; from += SLICE_ROWS) {
    const indices = seqs.slice(from, from + SLICE_ROWS).map((seq) => columns.indexOf(seq));
    const lines = indices.filter((index) => index >= 0).map((index) => `${JSON.stringify(columns.row(index))}\n`);
    parts.push(lines.join(''));
    rows += lines.length;
    onRows(rows);
    await nextTask();
  }
  return { parts, rows };
}

/** Most selected rows are adjacent, so ranges are short. */
export function rangesOf(seqs: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const seq of seqs) {
    const open = ranges.at(-1);
    if (open?.[1] === seq - 1) open[1] = seq;
    else ranges.push([seq, seq]);
  }
  return ranges;
}
