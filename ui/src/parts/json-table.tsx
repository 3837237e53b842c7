import { useState } from 'react';
import { WrittenNumber, writeExact } from '../json/exact-json.ts';
import type { Table } from '../json/table-of.ts';
import { plural } from '../text/amounts.ts';
import { visible, visibleLine } from '../text/visible.ts';
import { ScrollRegion } from './scroll-region.tsx';

const ROWS_AT_ONCE = 100;
const LONGEST_CELL = 300;

export function JsonTable({ table: { columns, rows, of }, label }: { table: Table; label: string }) {
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const rest = rows.length - shown;
  return (
    <>
      <ScrollRegion className="table-scroll json-table" label={label}>
        <table>
          {of !== undefined && <caption className="muted">{visibleLine(of)}</caption>}
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {visibleLine(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified by their position
              <tr key={at}>
                {columns.map((name) => (
                  <td key={name} className={isNumber(row.get(name)) ? 'right' : ''}>
                    {cell(row, name)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {rest > 0 && (
        <button type="button" className="link" onClick={() => setShown(shown + 10 * ROWS_AT_ONCE)}>
          {plural(rest, 'more row')}…
        </button>
      )}
    </>
  );
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || value instanceof WrittenNumber;
}

function cell(row: ReadonlyMap<string, unknown>, name: string): string {
  if (!row.has(name)) return '';
  const value = row.get(name);
  const text = typeof value === 'string' ? value : writeExact(value);
  return visible(text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text);
}
