// JSON as a tree that opens a level at a time: a large value costs only what is looked at.

import { useState } from 'react';
import { plural } from '../text/amounts.ts';
import { visible, visibleLine } from '../text/visible.ts';

const CHILDREN_AT_ONCE = 100;
const STRING_AT_ONCE = 2_000;

export function JsonTree({ value, label }: { value: unknown; label: string }) {
  return (
    <section className="json" aria-label={label}>
      <Node value={value} depth={0} />
    </section>
  );
}

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  if (value === null || typeof value !== 'object') {
    return (
      <div className="json-leaf">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    );
  }
  if (Object.keys(value).length > 0) return <Branch name={name} value={value} depth={depth} />;
  return (
    <div className="json-leaf">
      <Name name={name} />
      <span className="json-mark">{Array.isArray(value) ? '[]' : '{}'}</span>
    </div>
  );
}

function Branch({ name, value, depth }: { name?: string; value: object; depth: number }) {
  const isArray = Array.isArray(value);
  const size = isArray ? value.length : Object.keys(value).length;
  const [open, setOpen] = useState(depth < 3 && size <= CHILDREN_AT_ONCE);
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
      {open && <Children value={value} depth={depth + 1} />}
      {open && <div className="json-mark json-end">{brackets[1]}</div>}
    </div>
  );
}

function Children({ value, depth }: { value: object; depth: number }) {
  const [shown, setShown] = useState(CHILDREN_AT_ONCE);
  const entries = Object.entries(value);
  const rest = entries.length - shown;
  return (
    <div className="json-children">
      {entries.slice(0, shown).map(([name, child]) => (
        <Node key={name} name={name} value={child} depth={depth} />
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
