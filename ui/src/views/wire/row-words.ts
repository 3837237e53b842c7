// The name and the mark of an event.

import type { EventRow } from '../../../../src/app/inspector/api.ts';
import { groupOf } from '../../state/wire-filter.ts';
import { arrowOf, wordsOf } from '../../text/directions.ts';
import { visibleLine } from '../../text/visible.ts';

export function nameOf(row: EventRow): string {
  if (row.kind === 'http') return 'HTTP';
  if (row.kind !== 'frame') return row.kind;
  if (row.type === 'batch') return 'batch';
  if (row.type === 'answers') return '↩ batch';
  const name = row.tool ?? row.method;
  if (row.type === 'response') return name ? `↩ ${visibleLine(name)}` : row.error ? 'error' : 'response';
  return name === undefined ? (row.type ?? 'frame') : visibleLine(name);
}

export function mark(row: EventRow): string {
  const group = groupOf(row.kind, row.type);
  if (group === 'noise') return '≋';
  if (group === 'fault') return '⚠';
  if (group === 'stderr') return '▤';
  if (group === 'http') return '⇄';
  if (group === 'lifecycle') return row.kind === 'exit' ? '■' : row.kind === 'spawn' ? '▶' : '●';
  return arrowOf(row.direction);
}

export function markTitle(row: EventRow): string {
  const group = groupOf(row.kind, row.type);
  const way = row.direction === undefined ? '' : ` ${wordsOf(row.direction)}`;
  return `${row.error === undefined ? '' : 'failed '}${group}${way}`;
}
