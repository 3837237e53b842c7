// A part of the page that scrolls by itself: named, and reachable by keyboard.

import type { ReactNode, Ref } from 'react';

interface Props {
  label: string;
  className: string;
  children: ReactNode;
  ref?: Ref<HTMLElement>;
  onScroll?(): void;
}

export function ScrollRegion({ label, ...props }: Props) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
  return <section aria-label={label} tabIndex={0} {...props} />;
}
