import type { EventRow } from '../../../../src/inspector/api.ts';
import { ServerChip } from '../../parts/server-chip.tsx';
import { wallTime } from '../../state/inspected.ts';
import { byteSize, clockTime, latency } from '../../text/amounts.ts';
import { visible } from '../../text/visible.ts';

export function EventFacts({ row, offset }: { row: EventRow; offset: number | undefined }) {
  const way = row.direction && (row.direction === 'toServer' ? '→ to the server' : '← from the server');
  const facts: [string, React.ReactNode][] = [
    ['event', `#${row.seq}`],
    ['time', `${clockTime(wallTime(row.atMs))} +${(row.atMs / 1000).toFixed(3)} s`],
    ['server', <ServerChip key="server" name={row.server} />],
    ['life', row.life],
    ['kind', [row.kind === 'frame' ? row.type : row.kind, way].filter(Boolean).join(' ')],
    ['method', row.method],
    ['tool', row.tool],
    ['id', row.id === undefined ? undefined : JSON.stringify(row.id)],
    ['latency', row.latencyMs === undefined ? undefined : latency(row.latencyMs)],
    ['size', row.size === undefined ? undefined : byteSize(row.size)],
    ['offset', offset === undefined ? undefined : `byte ${offset.toLocaleString('en')}`],
  ];
  return (
    <>
      <dl className="facts dense">
        {facts
          .filter(([, value]) => value !== undefined && value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'string' ? visible(value) : value}</dd>
            </div>
          ))}
      </dl>
      {row.error !== undefined && <p className="note bad">{visible(row.error)}</p>}
      {row.kind !== 'frame' && row.kind !== 'stderr' && <p>{visible(row.summary)}</p>}
    </>
  );
}
