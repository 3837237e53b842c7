// Draws the visible rows that pass the filter. It is an ARIA tree grid whose active row is the cursor: the messages of a task are below
// its first one.

import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react';
import { Empty } from '../../parts/empty.tsx';
import { useFixedRows } from '../../parts/fixed-rows.ts';
import { useCell } from '../../state/cell.ts';
import { deepSearch } from '../../state/deep-search.ts';
import { columns, connection, isAlarming, problems, wireRows } from '../../state/inspected.ts';
import type { WireFilter } from '../../state/wire-filter.ts';
import { plural } from '../../text/amounts.ts';
import { isFiltering } from './filter-address.ts';
import { TimelineRow } from './timeline-row.tsx';
import {
  anchor,
  cursor,
  detailOpen,
  foldAtCursor,
  follow,
  isHead,
  moveTo,
  positionOfCursor,
  selectedRange,
  step,
  unfoldAtCursor,
} from './wire-state.ts';

export const ROW_PX = 26;
const titles = ['Time', 'Source', '', 'Message', 'Id', 'Latency', 'Size', 'Summary'];

export function Timeline({ filter }: { filter: WireFilter }) {
  const scroller = useRef<HTMLDivElement>(null);
  useCell(wireRows.version);
  const { state } = useCell(connection);
  const count = wireRows.count;
  const window = useFixedRows(scroller, count, ROW_PX);
  const at = useCell(cursor);
  useCell(anchor);
  const following = useCell(follow);
  const troubled = new Set(
    useCell(problems)
      .filter(isAlarming)
      .map(({ seq }) => seq),
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows change the height
  useLayoutEffect(() => {
    const element = scroller.current;
    if (following && element && count > 0) element.scrollTop = element.scrollHeight;
  }, [following, count]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the row of the cursor may pass a filter that is still running
  useEffect(() => {
    const position = positionOfCursor();
    if (at !== undefined && position >= 0 && !follow.read()) window.show(position);
  }, [at, filter, window.show, state === 'live']);

  const onScroll = () => {
    window.onScroll();
    const { scrollTop, scrollHeight, clientHeight } = scroller.current!;
    const atEnd = scrollHeight - scrollTop - clientHeight < ROW_PX;
    if (!atEnd && follow.read() && wireRows.count === count) follow.set(false);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: window.fitting - 2, PageUp: 2 - window.fitting }[event.key];
    if (by !== undefined) step(by, event.shiftKey);
    else if (event.key === 'Home') moveTo(0, event.shiftKey);
    else if (event.key === 'End') moveTo(wireRows.count - 1, event.shiftKey);
    else if (event.key === 'ArrowRight') unfoldAtCursor();
    else if (event.key === 'ArrowLeft') foldAtCursor();
    else return;
    event.preventDefault();
  };

  const position = positionOfCursor();
  const isDrawn = position >= window.first && position < window.end;
  const pair = pairOf(at);
  const range = selectedRange();
  const rows = [];
  for (let position = window.first; position < window.end; position++) {
    const index = wireRows.at(position);
    const row = columns.row(index);
    const task = row.task ?? 0;
    rows.push(
      <TimelineRow
        key={row.seq}
        row={row}
        position={position}
        cursor={row.seq === at}
        selected={range !== undefined && position >= range[0] && position <= range[1]}
        pair={row.seq === pair}
        troubled={troubled.has(row.seq)}
        level={wireRows.folds && columns.isPart(index) ? 2 : 1}
        parts={isHead(index) ? columns.tasks.get(task)!.rows : 0}
        unfolded={wireRows.isUnfolded(task)}
        onChoose={(extend) => {
          moveTo(position, extend);
          if (!extend) detailOpen.set(true);
        }}
      />,
    );
  }

  return (
    <div
      id="timeline"
      className="timeline"
      role="treegrid"
      aria-label="Timeline"
      aria-rowcount={count + 1}
      aria-multiselectable="true"
      aria-activedescendant={isDrawn ? `row-${at}` : undefined}
      tabIndex={0}
      ref={scroller}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
    >
      <div className="row head" role="row" aria-rowindex={1} data-sticky="yes" tabIndex={-1}>
        {titles.map((title, column) => (
          <span key={title} role="columnheader" tabIndex={-1} className={`cell c${column}`}>
            {title || <span className="hidden-text">Direction</span>}
          </span>
        ))}
      </div>
      <div role="rowgroup" className="rows" style={{ height: count * ROW_PX }}>
        {rows}
      </div>
      {count === 0 && <TimelineEmpty filter={filter} />}
    </div>
  );
}

function pairOf(seq: number | undefined): number | undefined {
  const index = seq === undefined ? -1 : columns.indexOf(seq);
  return index < 0 ? undefined : columns.numbers.pairSeq[index];
}

function TimelineEmpty({ filter }: { filter: WireFilter }) {
  const scanning = useCell(wireRows.scanning);
  const deep = useCell(deepSearch);
  const { state } = useCell(connection);
  if (scanning || deep === 'looking' || state === 'connecting' || state === 'loading')
    return <Empty title="Filtering…" />;
  if (columns.count > 0 && isFiltering(filter)) {
    return (
      <Empty title="No events match the filter">
        There are {plural(columns.count - columns.hidden, 'event')} without it.
      </Empty>
    );
  }
  return <Empty title="No events yet">Events are shown here as soon as a server starts.</Empty>;
}
