// Windowing for rows of equal height. The cost does not depend on the number of rows.

import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';

const OVERSCAN = 12;

export interface RowWindow {
  first: number;
  /** Index after the last drawn row. */
  end: number;
  /** Number of rows that fit, for page up and down. */
  fitting: number;
  onScroll(): void;
  show(position: number): void;
}

export function useFixedRows(scroller: RefObject<HTMLElement | null>, count: number, rowPx: number): RowWindow {
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    setHeight(element.clientHeight);
    return () => observer.disconnect();
  }, [scroller]);

  const onScroll = useCallback(() => {
    // The position is rounded to whole rows, so that most scroll events cause no rendering.
    if (scroller.current) setTop(Math.floor(scroller.current.scrollTop / rowPx));
  }, [scroller, rowPx]);

  const show = useCallback(
    (position: number) => {
      const element = scroller.current;
      if (!element) return;
      const head = (element.firstElementChild as HTMLElement | null)?.dataset.sticky ? rowPx : 0;
      const from = position * rowPx;
      if (from < element.scrollTop) element.scrollTop = from;
      else if (from + rowPx + head > element.scrollTop + element.clientHeight) {
        element.scrollTop = from + rowPx + head - element.clientHeight;
      }
    },
    [scroller, rowPx],
  );

  const fitting = Math.max(1, Math.floor(height / rowPx));
  const first = Math.max(0, Math.min(top, Math.max(0, count - fitting)) - OVERSCAN);
  return { first, end: Math.min(count, first + fitting + 2 * OVERSCAN), fitting, onScroll, show };
}
