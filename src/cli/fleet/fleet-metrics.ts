// The figures of a node of a fleet, for `/metrics`.

import type { Gauged } from '../../doors/telemetry/metrics.ts';
import type { FleetFigures } from '../../fleet/fleet-node.ts';
import type { UpFleet } from './up-fleet.ts';

export function fleetMetrics(fleet: UpFleet): Gauged[] {
  const one = (name: string, help: string, value: (figures: FleetFigures) => number): Gauged => ({
    name: `fleet_${name}`,
    help,
    labels: [],
    *read() {
      if (fleet.node) yield { labels: {}, value: value(fleet.node.figures()) };
    },
  });
  return [
    {
      name: 'fleet_info',
      help: 'The fleet that the host has joined, and the name of its node there: always 1',
      labels: ['fleet', 'node'],
      *read() {
        if (fleet.node) yield { labels: { fleet: fleet.node.fleet, node: fleet.node.name }, value: 1 };
      },
    },
    one('connected', 'Whether the node is connected to NATS', ({ isConnected }) => Number(isConnected)),
    one('lease_held', 'Whether the node has its lease', ({ hasLease }) => Number(hasLease)),
    one('claims', 'Replicas of servers that the node runs', ({ claims }) => claims),
  ];
}
