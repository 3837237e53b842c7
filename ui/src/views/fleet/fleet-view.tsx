// The fleet that the host has joined: its nodes, and the placement of servers on them.

import { useState } from 'react';
import type { FleetStatus } from '../../../../src/app/inspector/api.ts';
import { Empty } from '../../parts/empty.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { useCell } from '../../state/cell.ts';
import { fleet } from '../../state/inspected.ts';
import { plural } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { NodeTable } from './node-table.tsx';
import { PlacementTable, replicasOf } from './placement-table.tsx';

export default function FleetView() {
  const known = useCell(fleet);
  return (
    <>
      <div className="view-head">
        <h1>Fleet</h1>
        {known && <span className="muted">{summaryOf(known)}</span>}
      </div>
      <div className="scroll pad fleet">
        {known ? (
          <Status fleet={known} />
        ) : (
          <Empty title="No fleet">
            This host has not joined a fleet. <code>standpipe up --join nats://HOST</code> joins one.
          </Empty>
        )}
      </div>
    </>
  );
}

function Status({ fleet: { nodes, servers, self, placer, isConnected } }: { fleet: FleetStatus }) {
  const [search, setSearch] = useState('');
  const wanted = search.toLowerCase();
  const replicas = replicasOf(servers);
  const has = (texts: readonly (string | undefined)[]) => texts.some((text) => text?.toLowerCase().includes(wanted));
  const shownNodes = nodes.filter(({ name, labels, hostname, offers }) => has([name, hostname, ...labels, ...offers]));
  const shownReplicas = replicas.filter(({ server, replica, stateText }) =>
    has([server.name, replica.node, stateText, replica.reason, ...server.place.labels]),
  );
  return (
    <>
      {!isConnected && (
        <p className="note bad" role="status">
          The connection to NATS is lost. The servers of this host continue to run. This view shows the last known state
          of the fleet.
        </p>
      )}
      {nodes.length + replicas.length > 8 && (
        <SearchBox label="Find nodes and servers" value={search} onChange={setSearch} />
      )}
      <h2>Nodes</h2>
      <NodeTable nodes={shownNodes} servers={servers} self={self} placer={placer} />
      <h2>Placement</h2>
      {replicas.length === 0 ? (
        <p className="muted">
          The fleet has no servers. <code>standpipe fleet apply FILE</code> adds servers. Servers of a node’s own config
          are listed with their node.
        </p>
      ) : (
        <PlacementTable replicas={shownReplicas} />
      )}
    </>
  );
}

function summaryOf({ fleet: name, nodes, servers }: FleetStatus): string {
  const alive = nodes.filter(({ isAlive }) => isAlive).length;
  const missing = replicasOf(servers).filter(({ isRunning }) => !isRunning).length;
  const parts = [
    visibleLine(name),
    `${alive} of ${plural(nodes.length, 'node')} alive`,
    plural(servers.length, 'server'),
  ];
  return [...parts, missing > 0 && `${plural(missing, 'replica')} not running`].filter(Boolean).join(' · ');
}
