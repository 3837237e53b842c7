// Where in a message the text of the filter stands, with some of what is around it: a long message does not show it by itself.

import { useRoute } from '../../route.ts';
import { visibleLine } from '../../text/visible.ts';

const AROUND = 60;

export function FoundText({ text }: { text: string }) {
  const { q = '' } = useRoute().params;
  const place = placeOf(text, q.trim());
  if (!place) return null;
  const [start, end] = place;
  const before = text.slice(Math.max(0, start - AROUND), start);
  const after = text.slice(end, end + AROUND);
  return (
    <p className="note found-text">
      <strong>Found at character {(start + 1).toLocaleString('en')}:</strong> {start > AROUND && '…'}
      {visibleLine(before)}
      <mark>{visibleLine(text.slice(start, end))}</mark>
      {visibleLine(after)}
      {end + AROUND < text.length && '…'}
    </p>
  );
}

/** As it stands, or as JSON writes it. */
function placeOf(text: string, wanted: string): [start: number, end: number] | undefined {
  if (wanted === '') return undefined;
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return undefined; // some letter got longer: then the places differ
  for (const each of [wanted, JSON.stringify(wanted).slice(1, -1)]) {
    const start = lower.indexOf(each.toLowerCase());
    if (start >= 0) return [start, start + each.length];
  }
  return undefined;
}
