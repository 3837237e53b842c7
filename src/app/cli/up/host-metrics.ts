// Metrics of a host for `/metrics`, and its readiness.

import type { Gauged } from '../../../host/gateway/telemetry/metrics.ts';
import type { Host } from '../../../host/host.ts';
import type { ServerStatus } from '../../../host/supervision/server-state.ts';

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
