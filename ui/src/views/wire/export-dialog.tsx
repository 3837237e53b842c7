// Saves rows as JSON lines: the selection, or all that pass the filter. Few enough come with their bytes.

import { useState } from 'react';
import { Dialog } from '../../parts/dialog.tsx';
import { announce } from '../../state/announce.ts';
import { columns, wireRows } from '../../state/inspected.ts';
import { nextTask } from '../../state/next-task.ts';
import { plural } from '../../text/amounts.ts';
import { download } from '../../text/copy.ts';
import { loadDetail } from './event-details.ts';
import { selectedRange } from './wire-state.ts';

const MAX_WITH_CONTENTS = 2_000;
const AT_ONCE = 8;

export function ExportDialog({ onClose }: { onClose(): void }) {
  const range = selectedRange();
  const [what, setWhat] = useState<'selection' | 'filtered'>(range ? 'selection' : 'filtered');
  const [withContents, setWithContents] = useState(true);
  const [done, setDone] = useState<number>();
  const [first, last] = what === 'selection' && range ? range : [0, wireRows.count - 1];
  const count = Math.max(0, last - first + 1);
  const few = count <= MAX_WITH_CONTENTS;

  const save = async () => {
    setDone(0);
    try {
      const indices = Array.from({ length: count }, (_, at) => wireRows.at(first + at));
      const lines = await (few && withContents ? linesWithContents(indices, setDone) : linesOfRows(indices));
      download(`standpipe-${first === last ? `event-${columns.numbers.seq[indices[0]!]}` : 'events'}.jsonl`, lines);
      announce(`${plural(count, 'row')} saved`, 'good');
      onClose();
    } catch (error) {
      announce(`Nothing was saved: ${(error as Error).message}`, 'bad');
      setDone(undefined);
    }
  };

  return (
    <Dialog title="Export as JSON lines" onClose={onClose}>
      <fieldset className="plain">
        <legend className="hidden-text">Which rows</legend>
        {range && (
          <label className="check">
            <input type="radio" checked={what === 'selection'} onChange={() => setWhat('selection')} /> the selection (
            {plural(range[1] - range[0] + 1, 'row')})
          </label>
        )}
        <label className="check">
          <input type="radio" checked={what === 'filtered'} onChange={() => setWhat('filtered')} /> all that pass the
          filter ({plural(wireRows.count, 'row')})
        </label>
      </fieldset>
      <label className="check">
        <input
          type="checkbox"
          disabled={!few}
          checked={few && withContents}
          onChange={(event) => setWithContents(event.target.checked)}
        />{' '}
        with contents and bytes{few ? '' : ` (up to ${MAX_WITH_CONTENTS.toLocaleString('en')} rows)`}
      </label>
      <div className="buttons end">
        <button type="button" onClick={onClose}>
          Not now
        </button>
        <button type="button" className="primary" disabled={count === 0 || done !== undefined} onClick={save}>
          {done === undefined ? `Save ${plural(count, 'row')}` : `Reading ${done} of ${count}`}
        </button>
      </div>
    </Dialog>
  );
}

async function linesOfRows(indices: readonly number[]): Promise<string> {
  let lines = '';
  for (const [at, index] of indices.entries()) {
    lines += `${JSON.stringify(columns.row(index))}\n`;
    if (at % 2000 === 1999) await nextTask();
  }
  return lines;
}

async function linesWithContents(indices: readonly number[], onDone: (count: number) => void): Promise<string> {
  const lines: string[] = [];
  for (let from = 0; from < indices.length; from += AT_ONCE) {
    const part = indices.slice(from, from + AT_ONCE).map((index) => columns.row(index));
    const details = await Promise.all(part.map(({ seq }) => loadDetail(seq)));
    for (const [at, { row: _, json: __, ...contents }] of details.entries()) {
      lines.push(JSON.stringify({ ...part[at], ...contents }));
    }
    onDone(lines.length);
  }
  return `${lines.join('\n')}\n`;
}
