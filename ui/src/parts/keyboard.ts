// Keyboard shortcuts, active everywhere except in text fields. The current view adds its own.

import { useEffect, useRef } from 'react';

export type Keys = readonly (readonly [key: string, handle: () => void])[];

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]') || isTyping(event)) return;
      const found = latest.current.find(([key]) => key === event.key);
      if (!found) return;
      event.preventDefault();
      found[1]();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

function isTyping({ target, key }: KeyboardEvent): boolean {
  const element = target as HTMLElement;
  if (key === 'Escape') return false;
  if (/^(?:INPUT|TEXTAREA|SELECT)$/.test(element.tagName)) return true;
  // Enter and Space activate the focused element.
  return (key === 'Enter' || key === ' ') && /^(?:BUTTON|A|SUMMARY)$/.test(element.tagName);
}

export function focusSearch(): void {
  document.querySelector<HTMLInputElement>('input[type=search]')?.focus();
}
