// A hex dump: offset, sixteen bytes, and their printable characters. Only visible lines are drawn.

import { useMemo, useRef } from 'react';
import { useFixedRows } from './fixed-rows.ts';
import { ScrollRegion } from './scroll-region.tsx';

const ROW_PX = 20;
const PER_ROW = 16;

export function HexView({ base64, offset }: { base64: string; offset: number | undefined }) {
  const bytes = useMemo(() => atob(base64), [base64]);
  const scroller = useRef<HTMLElement>(null);
  const count = Math.ceil(bytes.length / PER_ROW);
  const { first, end, onScroll } = useFixedRows(scroller, count, ROW_PX);
  const lines = [];
  for (let line = first; line < end; line++)
    lines.push(<HexLine key={line} line={line} bytes={bytes} offset={offset ?? 0} />);
  if (bytes.length === 0) return <p className="muted">No bytes.</p>;
  return (
    <ScrollRegion className="hex" ref={scroller} onScroll={onScroll} label="Bytes in hexadecimal">
      <div style={{ height: count * ROW_PX, position: 'relative' }}>
        <pre className="hex-lines" style={{ transform: `translateY(${first * ROW_PX}px)` }}>
          {lines}
        </pre>
      </div>
    </ScrollRegion>
  );
}

function HexLine({ line, bytes, offset }: { line: number; bytes: string; offset: number }) {
  const from = line * PER_ROW;
  let hex = '';
  let print = '';
  for (let at = from; at < from + PER_ROW; at++) {
    if (at % 8 === 0 && at !== from) hex += ' ';
    const code = bytes.charCodeAt(at);
    hex += at < bytes.length ? ` ${code.toString(16).padStart(2, '0')}` : '   ';
    if (at < bytes.length) print += code >= 0x20 && code < 0x7f ? bytes[at] : '·';
  }
  return (
    <div className="hex-line">
      <span className="hex-place">{(offset + from).toString(16).padStart(8, '0')}</span>
      <span>{hex}</span>
      <span className="hex-print">{print}</span>
    </div>
  );
}
