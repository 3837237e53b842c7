// Metrics of a fleet node for `/metrics`.

import type { FleetFigures } from '../../../host/fleet/fleet-node.ts';
import type { Gauged } from '../../../host/gateway/telemetry/metrics.ts';
import type { UpFleet } from './up-fleet.ts';

export function fleetMetrics(fleet: UpFleet): Gauged[] {
  /** `isKnownAlone`: 0 while it has not joined. */
  const one = (name: string, help: string, value: (figures: FleetFigures) => number, isKnownAlone = false): Gauged => ({
    name: `fleet_${name}`,
    help,
    labels: [],
    *read() {
      if (fleet.node) yield { labels: {}, value: value(fleet.node.figures()) };
      else if (isKnownAlone) yield { labels: {}, value: 0 };
    },
  });
  return [
    {
      name: 'fleet_info',
      help: 'Fleet and node name of the host; always 1',
      labels: ['fleet', 'node'],
      *read() {
        yield { labels: { fleet: fleet.fleet, node: fleet.name }, value: 1 };
      },
    },
    one('connected', 'Whether the node is connected to NATS', ({ isConnected }) => Number(isConnected), true),
    one('lease_held', 'Whether the node has its lease', ({ hasLease }) => Number(hasLease), true),
    one('nodes', 'Nodes in the directory of the fleet', ({ nodes }) => nodes),
    one('claims', 'Replicas of servers that the node runs', ({ claims }) => claims),
    one('inquiries', 'Requests to nodes about unanswered calls', ({ calls }) => calls.inquiries),
    {
      name: 'fleet_calls',
      help: 'Calls sent to server instances, by node and outcome; `not_run` is sent again, `lost` may have run',
      labels: ['node', 'outcome'],
      *read() {
        for (const { node, outcome, count } of fleet.node?.figures().calls.values() ?? []) {
          yield { labels: { node, outcome }, value: count };
        }
      },
    },
  ];
}
