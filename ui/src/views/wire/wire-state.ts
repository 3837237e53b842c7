// The position in the timeline: the row under the cursor, the other end of a selection, and whether new rows are followed.
// The state is outside the view, so that it survives a change of views.

import { Cell } from '../../state/cell.ts';
import { columns, wireRows } from '../../state/inspected.ts';

export const cursor = new Cell<number | undefined>(undefined);
/** The other end of the selection. Equal to the cursor if one row is selected. */
export const anchor = new Cell<number | undefined>(undefined);
export const follow = new Cell(true);
export const detailOpen = new Cell(false);

export function positionOfCursor(): number {
  const seq = cursor.read();
  const index = seq === undefined ? -1 : columns.indexOf(seq);
  return index < 0 ? -1 : wireRows.positionOf(index);
}

/** Moves the cursor to a position among the shown rows. */
export function moveTo(position: number, extend = false): void {
  if (wireRows.count === 0) return;
  const at = Math.max(0, Math.min(wireRows.count - 1, position));
  const seq = columns.numbers.seq[wireRows.at(at)]!;
  follow.set(false);
  if (!extend) anchor.set(seq);
  cursor.set(seq);
}

export function step(by: number, extend = false): void {
  const position = positionOfCursor();
  if (position >= 0) return moveTo(position + by, extend);
  // The row of the cursor is hidden by the filter: move from its place.
  if (cursor.read() === undefined) return moveTo(wireRows.count - 1, extend);
  moveTo(by > 0 ? ~position + by - 1 : ~position + by, extend);
}

export function moveToSeq(seq: number): boolean {
  const index = columns.indexOf(seq);
  if (index < 0) return false;
  if (wireRows.isFolded(index)) wireRows.unfold(columns.numbers.task[index]!);
  follow.set(false);
  anchor.set(seq);
  cursor.set(seq);
  detailOpen.set(true);
  return true;
}

/** The first row of a task whose messages can be folded. */
export function isHead(index: number): boolean {
  const task = columns.tasks.get(columns.numbers.task[index]!);
  return wireRows.folds && task !== undefined && task.rows > 1 && task.headSeq === columns.numbers.seq[index];
}

export function toggleTask(task: number): void {
  if (wireRows.isUnfolded(task)) wireRows.fold(task);
  else wireRows.unfold(task);
}

/** Shows the messages of the task under the cursor, or moves to the first of them. */
export function unfoldAtCursor(): void {
  const index = wireRows.at(positionOfCursor());
  if (index === undefined || !isHead(index)) return;
  const task = columns.numbers.task[index]!;
  if (wireRows.isUnfolded(task)) step(1);
  else wireRows.unfold(task);
}

/** Hides the messages of the task under the cursor, or moves to its first row. */
export function foldAtCursor(): void {
  const index = wireRows.at(positionOfCursor());
  const task = index === undefined ? undefined : columns.numbers.task[index];
  const head = task === undefined ? undefined : columns.tasks.get(task);
  if (task === undefined || !head || !wireRows.folds) return;
  if (isHead(index!)) wireRows.fold(task);
  else moveTo(wireRows.positionOf(columns.indexOf(head.headSeq)));
}

/** First and last position of the selection. Undefined for fewer than two rows. */
export function selectedRange(): [number, number] | undefined {
  const [from, to] = [anchor.read(), cursor.read()];
  if (from === undefined || to === undefined || from === to) return undefined;
  const ends = [from, to].map((seq) => columns.indexOf(seq)).map((index) => Math.max(0, index));
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const first = wireRows.positionOf(low);
  const last = wireRows.positionOf(high);
  return [first < 0 ? ~first : first, last < 0 ? ~last - 1 : last];
}
