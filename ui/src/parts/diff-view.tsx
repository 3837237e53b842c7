// Two texts as one list of lines: equal, removed and added. Signs show the side, not colour alone. Long equal parts are folded.

import { useMemo, useState } from 'react';
import { type DiffLine, diffLines } from '../json/diff-lines.ts';
import { plural } from '../text/amounts.ts';
import { visible } from '../text/visible.ts';
import { ScrollRegion } from './scroll-region.tsx';

const CONTEXT = 3;
const LINES_AT_ONCE = 500;
const words = { '-': 'removed: ', '+': 'added: ', ' ': '' } as const;

export function DiffView({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const [whole, setWhole] = useState(false);
  const [shown, setShown] = useState(LINES_AT_ONCE);
  const changed = lines.filter(({ side }) => side !== ' ').length;
  if (changed === 0) return <p className="note good">The two answers are equal.</p>;
  const parts = whole ? lines.map((line) => ({ line, skipped: 0 })) : folded(lines);
  return (
    <div className="diff">
      <label className="check small">
        <input type="checkbox" checked={whole} onChange={(event) => setWhole(event.target.checked)} /> Equal lines too
      </label>
      <ScrollRegion className="text diff-lines" label={label}>
        {parts.slice(0, shown).map(({ line, skipped }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified by their position
          <div key={at} className={line.side === '-' ? 'removed' : line.side === '+' ? 'added' : ''}>
            {skipped > 0 && <div className="muted">… {plural(skipped, 'equal line')}</div>}
            <span aria-hidden="true">{line.side} </span>
            <span className="hidden-text">{words[line.side]}</span>
            {visible(line.text)}
          </div>
        ))}
      </ScrollRegion>
      {parts.length > shown && (
        <button type="button" className="link" onClick={() => setShown(shown * 4)}>
          {plural(parts.length - shown, 'more line')}…
        </button>
      )}
    </div>
  );
}

/** The lines near a change, each with the number of lines that were left out before it. */
function folded(lines: readonly DiffLine[]): { line: DiffLine; skipped: number }[] {
  const near = new Set<number>();
  for (const [at, { side }] of lines.entries()) {
    if (side === ' ') continue;
    for (let each = at - CONTEXT; each <= at + CONTEXT; each++) near.add(each);
  }
  let skipped = 0;
  return lines.flatMap((line, at) => {
    if (!near.has(at)) {
      skipped++;
      return [];
    }
    const entry = { line, skipped };
    skipped = 0;
    return [entry];
  });
}
