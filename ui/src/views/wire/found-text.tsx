// Shows the first match of the filter text in a message, with its context.

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

/** Finds the text as it is, or as escaped in JSON. */
function placeOf(text: string, wanted: string): [start: number, end: number] | undefined {
  if (wanted === '') return undefined;
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return undefined; // lower case changed the length, so positions would differ
  for (const each of [wanted, JSON.stringify(wanted).slice(1, -1)]) {
    const start = lower.indexOf(each.toLowerCase());
    if (start >= 0) return [start, start + each.length];
  }
  return undefined;
}
