// All data about the inspected source. Written by connect.ts, read by every view. Data stays visible when the backend disconnects.

import type { ClientSummary, FleetStatus, InspectedServer, Overview, Problem } from '../../../src/app/inspector/api.ts';
import { Cell } from './cell.ts';
import { EventColumns } from './event-columns.ts';
import { FilteredRows } from './filtered-rows.ts';

export type Connection =
  | { state: 'connecting' }
  | { state: 'loading'; loaded: number; total: number }
  | { state: 'live' }
  /** A recording was read to its end. */
  | { state: 'complete' }
  | { state: 'gone'; sinceMs: number }
  | { state: 'refused' };

export const connection = new Cell<Connection>({ state: 'connecting' });
export const source = new Cell<Overview['source'] | undefined>(undefined);
export const canAct = new Cell(false);
export const droppedByStore = new Cell<Overview['dropped']>({ events: 0, bytes: 0 });
export const servers = new Cell<InspectedServer[]>([]);
/** Clients by the source name in their events. */
export const clients = new Cell<ReadonlyMap<string, ClientSummary>>(new Map());
/** The time at which `servers` was received: uptimes are computed from it. */
export const serversAtMs = new Cell(performance.now());
/** The status of the fleet; undefined if the host has not joined one. */
export const fleet = new Cell<FleetStatus | undefined>(undefined);
export const problems = new Cell<Problem[]>([]);

/** Returns false for informational problems: an older revision or transport is not a fault. */
export function isAlarming({ kind }: Problem): boolean {
  return kind !== 'era-fallback' && kind !== 'deprecated-transport';
}

/** A program such as `standpipe call` has a connection of its own for the requests that control the host. */
export function onlyControls({ requests, controls }: ClientSummary): boolean {
  return controls > 0 && controls === requests;
}

export const columns = new EventColumns();
export const wireRows = new FilteredRows(columns);
/** Counts received rows, for views that reload when new ones arrive. */
export const arrivals = new Cell({ rows: 0, stderr: 0, answers: 0, lists: 0 });

/** The wall-clock time of an event. */
export function wallTime(atMs: number): Date {
  const started = source.read()?.startedAt;
  return new Date((started ? Date.parse(started) : 0) + atMs);
}

export function isStale(): boolean {
  const { state } = connection.read();
  return state === 'gone' || state === 'refused';
}
