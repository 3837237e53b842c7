// JSON as a tree that opens one level at a time: only open levels of a large value are rendered.

import { useState } from 'react';
import { entriesOf, WrittenNumber } from '../json/exact-json.ts';
import { plural } from '../text/amounts.ts';
import { visible, visibleLine } from '../text/visible.ts';

/** A value with at most this many parts is shown expanded. */
const FEW_PARTS = 250;
const CHILDREN_AT_ONCE = 100;
const STRING_AT_ONCE = 2_000;

export function JsonTree({ value, label }: { value: unknown; label: string }) {
  return (
    <section className="json" aria-label={label}>
      <Node value={value} openTo={partsOf(value, FEW_PARTS) < FEW_PARTS ? 12 : 2} />
    </section>
  );
}

function Node({ name, value, openTo }: { name?: string; value: unknown; openTo: number }) {
  if (value === null || typeof value !== 'object' || value instanceof WrittenNumber) {
    return (
      <div className="json-leaf">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    );
  }
  if (entriesOf(value).length > 0) return <Branch name={name} value={value} openTo={openTo} />;
  return (
    <div className="json-leaf">
      <Name name={name} />
      <span className="json-mark">{Array.isArray(value) ? '[]' : '{}'}</span>
    </div>
  );
}

function Branch({ name, value, openTo }: { name?: string; value: object; openTo: number }) {
  const isArray = Array.isArray(value);
  const size = isArray ? value.length : entriesOf(value).length;
  const [open, setOpen] = useState(openTo > 0 && size <= CHILDREN_AT_ONCE);
  const brackets = isArray ? ['[', ']'] : ['{', '}'];
  return (
    <div className="json-branch">
      <button type="button" className="json-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="json-arrow" aria-hidden="true" />
        <Name name={name} />
        <span className="json-mark">
          {open ? brackets[0] : `${brackets[0]} ${plural(size, isArray ? 'item' : 'member')} ${brackets[1]}`}
        </span>
      </button>
      {open && <Children value={value} openTo={openTo - 1} />}
      {open && <div className="json-mark json-end">{brackets[1]}</div>}
    </div>
  );
}

function Children({ value, openTo }: { value: object; openTo: number }) {
  const [shown, setShown] = useState(CHILDREN_AT_ONCE);
  const entries = entriesOf(value);
  const rest = entries.length - shown;
  return (
    <div className="json-children">
      {entries.slice(0, shown).map(([name, child], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, positions are fixed
        <Node key={at} name={name} value={child} openTo={openTo} />
      ))}
      {rest > 0 && (
        <button type="button" className="link" onClick={() => setShown(shown + 10 * CHILDREN_AT_ONCE)}>
          {plural(rest, 'more', 'more')}…
        </button>
      )}
    </div>
  );
}

function Name({ name }: { name: string | undefined }) {
  if (name === undefined) return null;
  return <span className="json-name">{visibleLine(name)}: </span>;
}

function Leaf({ value }: { value: unknown }) {
  const [all, setAll] = useState(false);
  if (value instanceof WrittenNumber) return <span className="json-number">{value.text}</span>;
  if (typeof value !== 'string')
    return <span className={`json-${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
  const cut = !all && value.length > STRING_AT_ONCE;
  return (
    <span className="json-string">
      "{visible(cut ? value.slice(0, STRING_AT_ONCE) : value)}"
      {cut && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          {' '}
          all {value.length.toLocaleString('en')} characters
        </button>
      )}
    </span>
  );
}

/** Stops counting at `most`. */
function partsOf(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null || value instanceof WrittenNumber) return 1;
  let parts = 1;
  for (const [, child] of entriesOf(value)) {
    if (parts >= most) break;
    parts += partsOf(child, most - parts);
  }
  return parts;
}
