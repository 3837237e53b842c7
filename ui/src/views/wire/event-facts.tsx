import type { EventDetail, EventRow } from '../../../../src/app/inspector/api.ts';
import { ServerChip } from '../../parts/server-chip.tsx';
import { wallTime } from '../../state/inspected.ts';
import { byteSize, clockTime, latency } from '../../text/amounts.ts';
import { arrowOf, wordsOf } from '../../text/directions.ts';
import { visible } from '../../text/visible.ts';
import { isOfClient } from './copy-call.ts';

export function EventFacts({ row, detail }: { row: EventRow; detail: EventDetail | undefined }) {
  const { direction, client } = row;
  const { offset, http } = detail ?? {};
  const isClient = isOfClient(row);
  const facts: [string, React.ReactNode][] = [
    ['event', `#${row.seq}`],
    ['time', `${clockTime(wallTime(row.atMs))} +${(row.atMs / 1000).toFixed(3)} s`],
    [isClient ? 'client' : 'server', <ServerChip key="server" name={row.server} />],
    ['on behalf of', client === undefined || isClient ? undefined : <ServerChip key="client" name={client} />],
    ['run', isClient ? undefined : row.life],
    ['HTTP', http && [`request ${http.exchange}`, http.status && `status ${http.status}`].filter(Boolean).join(', ')],
    [
      'kind',
      [row.kind === 'frame' ? row.type : row.kind, direction && `${arrowOf(direction)} ${wordsOf(direction)}`]
        .filter(Boolean)
        .join(' '),
    ],
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
