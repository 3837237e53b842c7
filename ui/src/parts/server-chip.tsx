// The name of a server, with a colour of its own that is the same everywhere.

import { visibleLine } from '../text/visible.ts';

const HUES = 8;

export function hueOf(name: string): number {
  let sum = 7;
  for (let at = 0; at < name.length; at++) sum = (sum * 31 + name.charCodeAt(at)) >>> 0;
  return sum % HUES;
}

export function ServerChip({ name }: { name: string }) {
  return (
    <span className={`server-chip hue-${hueOf(name)}`} title={visibleLine(name)}>
      <span className="server-dot" aria-hidden="true" />
      <span className="cut">{visibleLine(name)}</span>
    </span>
  );
}
