// The placement of server replicas on nodes.

import type { FleetStatus } from '../../../../src/app/inspector/api.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { visibleLine } from '../../text/visible.ts';
import { MOST_ROWS, More } from './more.tsx';

type Server = FleetStatus['servers'][number];

export interface ReplicaRow {
  server: Server;
  replica: Server['replicas'][number];
  isRunning: boolean;
  stateText: string;
}

/** Replicas that are not running come first. */
export function replicasOf(servers: readonly Server[]): ReplicaRow[] {
  const all = servers.flatMap((server) =>
    server.replicas.map((replica) => {
      const isRunning = replica.held && replica.isInForce;
      return {
        server,
        replica,
        isRunning,
        stateText: isRunning ? 'claimed' : replica.held ? 'lease lost' : 'not running',
      };
    }),
  );
  return [...all.filter(({ isRunning }) => !isRunning), ...all.filter(({ isRunning }) => isRunning)];
}

export function PlacementTable({ replicas }: { replicas: readonly ReplicaRow[] }) {
  return (
    <>
      <ScrollRegion className="table-scroll" label="Placement">
        <table>
          <thead>
            <tr>
              {['server', 'replica', 'state', 'node', 'generation', 'place', 'reason'].map((title) => (
                <th key={title} scope="col" className={title === 'generation' ? 'right' : undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {replicas.slice(0, MOST_ROWS).map((row) => (
              <ReplicaLine key={`${row.server.name} ${row.replica.slot}`} row={row} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <More count={replicas.length} what="replica" />
    </>
  );
}

function ReplicaLine({ row: { server, replica, isRunning, stateText } }: { row: ReplicaRow }) {
  const { slot, node, generation, reason } = replica;
  const { replicas, stateless } = server.place;
  return (
    <tr>
      <th scope="row">{visibleLine(server.name)}</th>
      <td className="nowrap">
        {slot} of {replicas}
      </td>
      <td>
        <span className={isRunning ? 'state ready' : 'state failed'}>{stateText}</span>
      </td>
      <td className="nowrap">{visibleLine(node) || '—'}</td>
      <td className="right">{generation || '—'}</td>
      <td className="labels">
        {[...server.place.labels, ...(stateless ? ['stateless'] : [])].map((word) => (
          <span key={word} className="tag">
            {visibleLine(word)}
          </span>
        ))}
      </td>
      <td className="reason">{reason ? visibleLine(reason) : ''}</td>
    </tr>
  );
}
