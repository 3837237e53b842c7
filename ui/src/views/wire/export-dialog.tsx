// Saves the selected rows, or all rows that pass the filter, to a file.

import { useEffect, useMemo, useRef, useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { announce } from '../../state/announce.ts';
import { wireRows } from '../../state/inspected.ts';
import { plural } from '../../text/amounts.ts';
import { download } from '../../text/copy.ts';
import { recordingOf, rowLinesOf, seqsBetween } from './export-rows.ts';
import { selectedRange } from './wire-state.ts';

export function ExportDialog({ onClose }: { onClose(): void }) {
  const range = selectedRange();
  const [what, setWhat] = useState<'selection' | 'filtered'>(range ? 'selection' : 'filtered');
  const [form, setForm] = useState<'recording' | 'rows'>('recording');
  const [done, setDone] = useState<number>();
  const stop = useRef(new AbortController());
  const [from, to] = range ?? [0, -1];
  const selected = useMemo(() => seqsBetween(from, to), [from, to]);
  const all = useMemo(() => seqsBetween(0, wireRows.count - 1), []);
  const { seqs, rows: count } = what === 'selection' ? selected : all;
  useEffect(() => () => stop.current.abort(), []);

  const save = async () => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setDone(0);
    try {
      const saved = await (form === 'recording' ? recordingOf(seqs, setDone, signal) : rowLinesOf(seqs, setDone));
      if (signal.aborted) return;
      download(`standpipe-${seqs.length === 1 ? `event-${seqs[0]}` : 'events'}.jsonl`, saved.parts);
      const gone = seqs.length - saved.rows;
      const rest = gone > 0 ? `, ${plural(gone, 'was', 'were')} no longer available` : '';
      announce(`${plural(Math.max(0, count - gone), 'row')} saved${rest}`, gone > 0 ? 'bad' : 'good');
      onClose();
    } catch (error) {
      if (signal.aborted) return;
      announce(`Export failed: ${(error as Error).message}`, 'bad');
      setDone(undefined);
    }
  };

  return (
    <Dialog title="Export" onClose={onClose}>
      <fieldset className="plain">
        <legend className="hidden-text">Rows</legend>
        {range && (
          <label className="check">
            <input type="radio" checked={what === 'selection'} onChange={() => setWhat('selection')} /> the selection (
            {plural(selected.rows, 'row')})
          </label>
        )}
        <label className="check">
          <input type="radio" checked={what === 'filtered'} onChange={() => setWhat('filtered')} /> all rows that pass
          the filter ({plural(all.rows, 'row')})
        </label>
      </fieldset>
      <fieldset className="plain">
        <legend className="hidden-text">Format</legend>
        <label className="check">
          <input type="radio" checked={form === 'recording'} onChange={() => setForm('recording')} /> a recording with
          all bytes; can be opened by <code>standpipe inspect</code>
        </label>
        <label className="check">
          <input type="radio" checked={form === 'rows'} onChange={() => setForm('rows')} /> the text of the rows, as
          JSON lines
        </label>
      </fieldset>
      <p className="muted">Messages are saved as they are shown. Secrets that are shown are saved too.</p>
      <div className="buttons end">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="primary" disabled={count === 0 || done !== undefined} onClick={save}>
          {done === undefined
            ? `Save ${plural(count, 'row')}`
            : `Reading ${done.toLocaleString('en')} of ${count.toLocaleString('en')}`}
        </button>
      </div>
    </Dialog>
  );
}
