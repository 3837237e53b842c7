// The frames of the shown call beside its form: request, questions, progress, log messages, stderr output and answer, each a click from
// its bytes. Whether the dock is open is kept in this browser.

import { useRef, useState } from 'react';
import type { EventRow } from '../../../../src/app/inspector/api.ts';
import { useFixedRows } from '../../parts/fixed-rows.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { addressOf } from '../../route.ts';
import { Cell, useCell } from '../../state/cell.ts';
import { columns, wireRows } from '../../state/inspected.ts';
import { groupOf } from '../../state/wire-filter.ts';
import { byteSize, latency, plural } from '../../text/amounts.ts';
import { shortMessage } from '../../text/short-message.ts';
import { visibleLine, withoutColours } from '../../text/visible.ts';
import { Contents } from '../wire/event-contents.tsx';
import { useDetail } from '../wire/event-details.ts';
import { mark, markTitle, nameOf } from '../wire/row-words.ts';
import { type FramesOf, useFrames } from './use-frames.ts';

const KEY = 'standpipe-dock';
const ROW_PX = 24;
const NARROW_PX = 900;

const isOpen = new Cell(localStorage.getItem(KEY) ? localStorage.getItem(KEY) === 'open' : innerWidth > NARROW_PX);
isOpen.watch(() => localStorage.setItem(KEY, isOpen.read() ? 'open' : 'closed'));

export function ProtocolDock({ of }: { of: FramesOf | undefined }) {
  const wanted = useCell(isOpen);
  const open = wanted && of !== undefined; // without a call, the form has the room
  const report = useFrames(of, open);
  return (
    <aside className={open ? 'dock open' : 'dock'} aria-label="Protocol">
      <header className="dock-head">
        <button type="button" className="quiet" aria-expanded={wanted} onClick={() => isOpen.set(!wanted)}>
          <span aria-hidden="true">{wanted ? '▾' : '▸'}</span> Protocol
        </button>
        {!of && wanted && <span className="muted">The frames of a call are shown here.</span>}
        {open && report && (
          <span className="muted" role="status">
            {plural(report.seqs.length, 'frame')}
            {report.omitted > 0 && `, ${report.omitted.toLocaleString('en')} older ones left out`}
          </span>
        )}
      </header>
      {open && <Frames seqs={report?.seqs ?? []} others={report?.others ?? 0} />}
    </aside>
  );
}

function Frames({ seqs, others }: { seqs: number[]; others: number }) {
  useCell(wireRows.version);
  const scroller = useRef<HTMLElement>(null);
  const [chosen, setChosen] = useState<number>();
  const { first, end, onScroll } = useFixedRows(scroller, seqs.length, ROW_PX);
  const started = columns.indexOf(seqs[0] ?? -1);
  const startMs = started < 0 ? 0 : columns.numbers.atMs[started]!;
  return (
    <>
      {others > 0 && (
        <p className="note">
          {plural(others, 'other request')} ran at the same time: log messages and stderr may belong to them.
        </p>
      )}
      <ScrollRegion className="dock-frames" label="Frames of the call" ref={scroller} onScroll={onScroll}>
        <ul className="rows" style={{ height: seqs.length * ROW_PX }}>
          {seqs.slice(first, end).map((seq, at) => {
            const index = columns.indexOf(seq);
            if (index < 0) return null;
            return (
              <li key={seq} className="dock-row" style={{ transform: `translateY(${(first + at) * ROW_PX}px)` }}>
                <Frame
                  row={columns.row(index)}
                  startMs={startMs}
                  chosen={seq === chosen}
                  onChoose={() => setChosen(seq === chosen ? undefined : seq)}
                />
              </li>
            );
          })}
        </ul>
      </ScrollRegion>
      {chosen !== undefined && seqs.includes(chosen) && <Bytes key={chosen} seq={chosen} />}
    </>
  );
}

interface FrameProps {
  row: EventRow;
  startMs: number;
  chosen: boolean;
  onChoose(): void;
}

function Frame({ row, startMs, chosen, onChoose }: FrameProps) {
  return (
    <button
      type="button"
      className={`dock-frame g-${groupOf(row.kind, row.type)}${row.error === undefined ? '' : ' bad'}`}
      aria-pressed={chosen}
      onClick={onChoose}
    >
      <span className="muted right">+{latency(row.atMs - startMs) || '0'}</span>
      <span className="dock-mark" title={markTitle(row)}>
        <span aria-hidden="true">{mark(row)}</span>
        <span className="hidden-text">{markTitle(row)}</span>
      </span>
      <span className="cut mono dock-name">{nameOf(row)}</span>
      <span className="cut mono muted">
        {row.error === undefined ? '' : `${visibleLine(row.error)} `}
        {visibleLine(row.kind === 'frame' ? shortMessage(row.summary) : withoutColours(row.summary))}
      </span>
      <span className="muted right">{byteSize(row.size)}</span>
    </button>
  );
}

function Bytes({ seq }: { seq: number }) {
  const loading = useDetail(seq);
  return (
    <section className="dock-bytes" aria-label={`Event ${seq}`}>
      <p className="card-links">
        <strong>#{seq}</strong> <a href={addressOf('wire', { event: seq })}>Show on the wire</a>
      </p>
      {loading.detail?.problems.map((problem) => (
        <p key={problem} className="note bad">
          {visibleLine(problem)}
        </p>
      ))}
      <Contents seq={seq} loading={loading} />
    </section>
  );
}
