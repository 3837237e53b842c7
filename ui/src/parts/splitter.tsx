// The bar between two panes, moved by dragging or with the arrow keys. Its position is stored.

import { type KeyboardEvent, type PointerEvent, useState } from 'react';

const STEP_PX = 24;

interface Limits {
  least: number;
  most: number;
}

/** The width of the right pane in pixels, stored in this browser. */
export function useSplit(key: string, first: number, { least, most }: Limits) {
  const kept = () => Number(localStorage.getItem(key)) || first;
  const [width, setWidth] = useState(kept);
  const change = (wished: number) => {
    const next = Math.round(Math.max(least, Math.min(most, wished)));
    localStorage.setItem(key, String(next));
    setWidth(next);
  };
  return { width, change, least, most };
}

interface Props extends Limits {
  label: string;
  width: number;
  change(width: number): void;
}

export function Splitter({ label, width, least, most, change }: Props) {
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { right } = event.currentTarget.parentElement!.getBoundingClientRect();
    change(right - event.clientX);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: STEP_PX, ArrowRight: -STEP_PX }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    change(width + by);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr element cannot be moved
    <div
      className="splitter"
      role="separator"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  );
}
