// Plain text with visible control characters. Long text is shown one piece at a time.

import { useState } from 'react';
import { plural } from '../text/amounts.ts';
import { visible } from '../text/visible.ts';
import { ScrollRegion } from './scroll-region.tsx';

const PIECE = 32_000;
/** Characters that fit on one line. */
const SHORT = 60;

export function LongText({ text, label, wraps = true }: { text: string; label: string; wraps?: boolean }) {
  const [shown, setShown] = useState(PIECE);
  const [wrap, setWrap] = useState(wraps);
  const rest = text.length - shown;
  return (
    <div className="long-text">
      {text.length > SHORT && (
        <label className="check small">
          <input type="checkbox" checked={wrap} onChange={(event) => setWrap(event.target.checked)} /> Wrap lines
        </label>
      )}
      <ScrollRegion className={wrap ? 'text wrap' : 'text'} label={label}>
        {visible(rest > 0 ? text.slice(0, shown) : text)}
      </ScrollRegion>
      {rest > 0 && (
        <button type="button" onClick={() => setShown(shown * 4)}>
          Show more ({plural(rest, 'character')} left)
        </button>
      )}
    </div>
  );
}
