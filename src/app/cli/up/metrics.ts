// Metrics for `/metrics` of a host and of a fleet node, and the readiness of a host.

import type { FleetFigures } from '../../../host/fleet/fleet-node.ts';
import type { Gauged } from '../../../host/gateway/telemetry/metrics.ts';
import type { Host } from '../../../host/host.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';
import type { UpFleet } from '../fleet/up-fleet.ts';

export function hostMetrics(host: Host): Gauged[] {
  const each = (name: string, help: string, value: (status: ServerStatus) => number): Gauged => ({
    name,
    help,
    labels: ['server'],
    *read() {
      for (const status of host.status()) yield { labels: { server: status.name }, value: value(status) };
    },
  });
  return [
    each('server_ready', 'Whether the server answers requests', ({ state }) => (state === 'ready' ? 1 : 0)),
    each(
      'server_processes',
      'Processes of the server',
      ({ processes }) => processes.filter(({ pid }) => pid !== null).length,
    ),
    each('server_waiting_requests', 'Requests that wait for a free process', ({ waiting }) => waiting),
    each('server_restarts', 'Restarts of the server since the host was started', ({ restarts }) => restarts),
    each('server_uptime_seconds', 'Uptime of the running process', ({ uptimeMs }) => uptimeMs / 1000),
  ];
}

/** A failed server leaves the others usable, so a host is not ready only if none of its servers can answer. */
export function whyNotReady(host: Host): string | undefined {
  const enabled = host.status().filter(({ state }) => state !== 'disabled');
  if (enabled.length === 0) return undefined;
  const states = new Set(enabled.map(({ state }) => state));
  for (const state of ['ready', 'stopped'] as const) if (states.has(state)) return undefined;
  return states.has('starting') ? 'servers are starting' : 'no server is ready';
}

export function fleetMetrics(fleet: UpFleet): Gauged[] {
  /** `isKnownAlone`: the gauge is 0 until the node has joined. Other gauges are absent until then. */
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
