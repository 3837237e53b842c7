import { useState } from 'react';
import type { LatencyRow } from '../../../../src/app/inspector/api.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { ServerChip } from '../../parts/server-chip.tsx';
import { addressOf } from '../../route.ts';
import { clients } from '../../state/inspected.ts';
import { latency } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';

type Column = { title: string; value(row: LatencyRow): number | string; right?: boolean };

const columns: Column[] = [
  { title: 'source', value: ({ server }) => server },
  { title: 'method', value: ({ method }) => method },
  { title: 'tool', value: ({ tool }) => tool ?? '' },
  { title: 'count', value: ({ count }) => count, right: true },
  { title: 'errors', value: ({ errors, count }) => errors / count, right: true },
  { title: 'p50', value: ({ p50Ms }) => p50Ms, right: true },
  { title: 'p95', value: ({ p95Ms }) => p95Ms, right: true },
  { title: 'p99', value: ({ p99Ms }) => p99Ms, right: true },
];

export function sameRow(a: LatencyRow | undefined, b: LatencyRow): boolean {
  return a !== undefined && a.server === b.server && a.method === b.method && a.tool === b.tool && a.aside === b.aside;
}

interface Props {
  rows: LatencyRow[];
  chosen: LatencyRow | undefined;
  onChoose(row: LatencyRow | undefined): void;
}

export function LatencyTable({ rows, chosen, onChoose }: Props) {
  const [by, setBy] = useState({ column: 6, down: true });
  const value = columns[by.column]!.value;
  const sorted = [...rows].sort((a, b) => (by.down ? -1 : 1) * compared(value(a), value(b)));
  return (
    <ScrollRegion className="table-scroll" label="Latency by method and tool">
      <table className="latency">
        <thead>
          <tr>
            {columns.map(({ title, right }, column) => (
              <th
                key={title}
                scope="col"
                className={right ? 'right' : ''}
                aria-sort={column === by.column ? (by.down ? 'descending' : 'ascending') : undefined}
              >
                <button
                  type="button"
                  className="sort"
                  onClick={() => setBy({ column, down: column === by.column ? !by.down : true })}
                >
                  {title}
                  <span aria-hidden="true">{column === by.column ? (by.down ? ' ↓' : ' ↑') : ''}</span>
                </button>
              </th>
            ))}
            <th scope="col">
              <span className="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr
              key={JSON.stringify([row.server, row.method, row.tool, row.aside])}
              className={sameRow(chosen, row) ? 'chosen' : ''}
            >
              <td>
                <ServerChip name={row.server} />
              </td>
              <td className="mono">{visibleLine(row.method)}</td>
              <td className="mono cut name" title={visibleLine(row.tool ?? '')}>
                {visibleLine(row.tool ?? '')}
              </td>
              <td className="right">{row.count.toLocaleString('en')}</td>
              <td className={row.errors > 0 ? 'right bad-text' : 'right'}>{errorRate(row)}</td>
              <td className="right">{latency(row.p50Ms)}</td>
              <td className="right">{latency(row.p95Ms)}</td>
              <td className="right">{latency(row.p99Ms)}</td>
              <td className="right nowrap">
                <button
                  type="button"
                  className="quiet"
                  aria-pressed={sameRow(chosen, row)}
                  onClick={() => onChoose(sameRow(chosen, row) ? undefined : row)}
                >
                  Plot
                </button>{' '}
                <a href={wireAddress(row)}>Wire</a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function wireAddress({ server, method, tool }: LatencyRow): string {
  const of = clients.read().has(server) ? { client: server } : { server };
  return addressOf('wire', { ...of, method, q: tool });
}

function compared(a: number | string, b: number | string): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}

function errorRate({ errors, count }: LatencyRow): string {
  return errors === 0 ? '0' : `${errors.toLocaleString('en')} (${((100 * errors) / count).toFixed(1)}%)`;
}
