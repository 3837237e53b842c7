// One row of the timeline. Marks and words show its kind, never colour alone.

import { memo } from 'react';
import type { EventRow } from '../../../../src/app/inspector/api.ts';
import { ServerChip } from '../../parts/server-chip.tsx';
import { wallTime } from '../../state/inspected.ts';
import { groupOf } from '../../state/wire-filter.ts';
import { byteSize, clockTime, latency, plural } from '../../text/amounts.ts';
import { shortMessage } from '../../text/short-message.ts';
import { visibleLine, withoutColours } from '../../text/visible.ts';
import { mark, markTitle, nameOf } from './row-words.ts';
import { ROW_PX } from './timeline.tsx';
import { toggleTask } from './wire-state.ts';

interface Props {
  row: EventRow;
  position: number;
  cursor: boolean;
  selected: boolean;
  pair: boolean;
  troubled: boolean;
  /** 2 for a message of a task below its first one. */
  level: 1 | 2;
  /** The number of messages of a task, for its first message. */
  parts: number;
  unfolded: boolean;
  onChoose(extend: boolean): void;
}

export const TimelineRow = memo(RowOf, (a, b) => {
  const [x, y] = [a.row, b.row];
  return (
    a.position === b.position &&
    a.cursor === b.cursor &&
    a.selected === b.selected &&
    a.pair === b.pair &&
    a.troubled === b.troubled &&
    a.level === b.level &&
    a.parts === b.parts &&
    a.unfolded === b.unfolded &&
    x.seq === y.seq &&
    x.latencyMs === y.latencyMs &&
    x.error === y.error &&
    x.note === y.note &&
    x.pairSeq === y.pairSeq &&
    x.origin === y.origin
  );
});

function RowOf({ row, position, cursor, selected, pair, troubled, level, parts, unfolded, onChoose }: Props) {
  const group = groupOf(row.kind, row.type);
  const bad = row.error !== undefined || troubled;
  const flags = `${cursor ? ' cursor' : ''}${selected ? ' selected' : ''}${pair ? ' pair' : ''}${bad ? ' bad' : ''}`;
  return (
    <div
      id={`row-${row.seq}`}
      className={`row g-${group}${flags}`}
      role="row"
      aria-rowindex={position + 2}
      aria-level={level}
      aria-expanded={parts > 0 ? unfolded : undefined}
      aria-selected={cursor || selected}
      style={{ transform: `translateY(${position * ROW_PX}px)` }}
      onClick={(event) => onChoose(event.shiftKey)}
    >
      <span role="gridcell" className="cell c0">
        {clockTime(wallTime(row.atMs))}
      </span>
      <span role="gridcell" className="cell c1">
        <ServerChip name={row.server} />
      </span>
      <span role="gridcell" className="cell c2" title={markTitle(row)}>
        <span aria-hidden="true">{mark(row)}</span>
        <span className="hidden-text">{markTitle(row)}</span>
      </span>
      <span role="gridcell" className={level === 2 ? 'cell c3 part' : 'cell c3'}>
        {parts > 0 && <Fold task={row.task!} unfolded={unfolded} />}
        {nameOf(row)}
      </span>
      <span role="gridcell" className="cell c4">
        {row.id === undefined ? '' : visibleLine(JSON.stringify(row.id))}
      </span>
      <span role="gridcell" className={`cell c5${isSlow(row) ? ' slow' : ''}`}>
        {latency(row.latencyMs)}
      </span>
      <span role="gridcell" className="cell c6">
        {byteSize(row.size)}
      </span>
      <span role="gridcell" className="cell c7">
        {row.error !== undefined && !row.summary.includes(row.error) && (
          <span className="error-tag">{visibleLine(row.error)} </span>
        )}
        {row.origin !== undefined && <span className="note-tag">{originWords[row.origin]} · </span>}
        {row.note !== undefined && <span className="note-tag">{visibleLine(row.note)} </span>}
        {parts > 0 && <span className="note-tag">· {plural(parts, 'message')} </span>}
        {visibleLine(row.kind === 'frame' ? shortMessage(row.summary) : withoutColours(row.summary))}
      </span>
    </div>
  );
}

const originWords = { page: 'by this page', lists: 'lists for this page' } as const;

function Fold({ task, unfolded }: { task: number; unfolded: boolean }) {
  return (
    <button
      type="button"
      className="fold quiet"
      tabIndex={-1}
      aria-label={unfolded ? 'Hide the messages of this task' : 'Show the messages of this task'}
      onClick={(event) => {
        event.stopPropagation();
        toggleTask(task);
      }}
    >
      {unfolded ? '▾' : '▸'}
    </button>
  );
}

/** The duration of a task depends on its work, so a task does not count as slow. */
function isSlow({ latencyMs = 0, task, method }: EventRow): boolean {
  return latencyMs >= 1000 && (task === undefined || method === 'tasks/get');
}
