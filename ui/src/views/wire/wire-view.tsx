// The timeline of all events, its filter, and the details of the row under the cursor.

import { type CSSProperties, type RefObject, useEffect, useRef, useState } from 'react';
import { useKeys } from '../../parts/keyboard.ts';
import { Splitter, useSplit } from '../../parts/splitter.tsx';
import { replaceParams, useRoute } from '../../route.ts';
import { announce } from '../../state/announce.ts';
import { useCell } from '../../state/cell.ts';
import { searchFor } from '../../state/deep-search.ts';
import { arrivals, columns, connection, wireRows } from '../../state/inspected.ts';
import { resendRow, whyNotResent } from '../../state/resend.ts';
import { isTrouble, type WireFilter } from '../../state/wire-filter.ts';
import { visibleLine } from '../../text/visible.ts';
import { copyCall } from './copy-call.ts';
import { DetailPane } from './detail-pane.tsx';
import { goToOtherSide } from './exchange-of.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { filterFrom, paramsOf } from './filter-address.ts';
import { FilterBar } from './filter-bar.tsx';
import { Timeline } from './timeline.tsx';
import { cursor, detailOpen, follow, moveTo, moveToSeq, positionOfCursor, step } from './wire-state.ts';

const ADDRESS_DELAY_MS = 200;

export function WireView() {
  const { params } = useRoute();
  const [filter, setFilter] = useState(() => filterFrom(params));
  const [exporting, setExporting] = useState(false);
  const open = useCell(detailOpen);
  const at = useCell(cursor);
  const isSplit = open && at !== undefined;
  const split = useSplit('standpipe-detail', 420, { least: 300, most: 900 });
  /** The event that this view wrote to the address. The cursor may have moved before the address changes. */
  const written = useRef<string | undefined>(undefined);
  const awaited = useEventOfAddress(params.event, written);
  const { state } = useCell(connection);
  const isLoaded = state === 'live' || state === 'complete';

  // The address may change while the view is shown: back, forward, a link.
  const { event: _, ...filterParams } = params;
  const inAddress = JSON.stringify(filterParams);
  useEffect(() => setFilter(filterFrom(JSON.parse(inAddress))), [inAddress]);

  const inFilter = JSON.stringify(filter);
  useEffect(() => {
    wireRows.setFilter(JSON.parse(inFilter));
    searchFor(JSON.parse(inFilter).text);
  }, [inFilter]);
  useEffect(() => {
    const address = location.hash;
    const timer = setTimeout(() => {
      if (location.hash !== address) return; // the address changed in the meantime, and its filter is not applied yet
      const event = awaited ?? at;
      written.current = event === undefined ? undefined : String(event);
      replaceParams({ ...paramsOf(JSON.parse(inFilter) as WireFilter), event });
    }, ADDRESS_DELAY_MS);
    return () => clearTimeout(timer);
  }, [inFilter, at, awaited]);

  useKeys([
    ['j', () => step(1)],
    ['k', () => step(-1)],
    ['J', () => step(1, true)],
    ['K', () => step(-1, true)],
    ['g', () => moveTo(0)],
    ['G', () => moveTo(wireRows.count - 1)],
    ['f', () => follow.update((on) => !on)],
    ['p', goToPair],
    ['x', () => void goToOtherSide(cursor.read())],
    ['n', () => goToTrouble(1)],
    ['N', () => goToTrouble(-1)],
    ['c', () => void copyCall(cursor.read())],
    ['e', () => setExporting(true)],
    ['r', resendAtCursor],
    [' ', () => wireRows.pause(!wireRows.paused)],
    ['Enter', showDetail],
    ['Escape', hideDetail],
  ]);

  return (
    <>
      <FilterBar filter={filter} onChange={setFilter} onExport={() => setExporting(true)} />
      {awaited !== undefined && isLoaded && (
        <p className="note bad unknown-link" role="alert">
          {whyMissing(awaited)}
        </p>
      )}
      <div className={isSplit ? 'wire split' : 'wire'} style={{ '--detail': `${split.width}px` } as CSSProperties}>
        <Timeline filter={filter} />
        {isSplit && <Splitter label="Width of the details" {...split} />}
        {isSplit && <DetailPane seq={at} />}
      </div>
      {exporting && <ExportDialog onClose={() => setExporting(false)} />}
    </>
  );
}

function whyMissing(event: string): string {
  const seq = Number(event);
  if (!Number.isSafeInteger(seq)) return `“${visibleLine(event)}” is not the number of an event.`;
  if (seq > columns.newestSeq) return `There is no event #${seq} yet: the newest is #${columns.newestSeq}.`;
  return `Event #${seq} is no longer stored: the oldest events were dropped.`;
}

/** Waits for the event of a deep link if it is not loaded yet. */
function useEventOfAddress(event: string | undefined, written: RefObject<string | undefined>): string | undefined {
  const { rows } = useCell(arrivals);
  const [pending, setPending] = useState(event);
  useEffect(() => {
    if (event !== written.current) setPending(event);
  }, [event, written]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the event may be among rows that arrive later
  useEffect(() => {
    if (pending === undefined) return;
    const seq = Number(pending);
    if (cursor.read() === seq || moveToSeq(seq)) setPending(undefined);
  }, [pending, rows]);
  return pending;
}

function showDetail(): void {
  detailOpen.set(true);
  requestAnimationFrame(() => document.getElementById('detail')?.focus());
}

function hideDetail(): void {
  detailOpen.set(false);
  document.getElementById('timeline')?.focus();
}

function resendAtCursor(): void {
  const seq = cursor.read();
  const index = seq === undefined ? -1 : columns.indexOf(seq);
  if (index < 0) return;
  const row = columns.row(index);
  const why = whyNotResent(row);
  if (why === undefined) resendRow(row);
  else announce(`Not sent again: ${why || 'only requests to a server can be sent again'}.`, 'bad');
}

function goToPair(): void {
  const seq = cursor.read();
  const index = seq === undefined ? -1 : columns.indexOf(seq);
  const pair = index < 0 ? -1 : columns.numbers.pairSeq[index]!;
  if (pair >= 0) moveToSeq(pair);
}

function goToTrouble(by: 1 | -1): void {
  const position = positionOfCursor();
  for (let at = (position < 0 ? ~position : position) + by; at >= 0 && at < wireRows.count; at += by) {
    if (isTrouble(columns, wireRows.at(at))) return moveTo(at);
  }
}
