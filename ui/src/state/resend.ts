// The recorded request that is being edited to be sent again. Its dialog can be opened from every view.

import type { EventRow } from '../../../src/app/inspector/api.ts';
import { methodsOfMcp } from '../../../src/mcp/methods.ts';
import { Cell } from './cell.ts';
import { canAct, columns, servers } from './inspected.ts';

export interface Resent {
  server: string;
  /** The event of the recorded request. */
  requestSeq: number;
}

export const resent = new Cell<Resent | undefined>(undefined);

/** The row of the request that a row belongs to. */
export function requestRowOf(row: EventRow): EventRow | undefined {
  if (row.kind !== 'frame') return undefined;
  if (row.type === 'request') return row;
  if (row.type !== 'response' || row.pairSeq === undefined) return undefined;
  const index = columns.indexOf(row.pairSeq);
  return index < 0 ? undefined : columns.row(index);
}

/** Why a request cannot be sent again; undefined if it can be, an empty text if it is not a request to a server. */
export function whyNotResent(row: EventRow): string | undefined {
  const request = requestRowOf(row);
  if (!request?.method || request.direction !== 'toServer') return '';
  if (methodsOfMcp.get(request.method)?.isHandshake) return 'It opens a connection, so it is sent only once';
  if (!canAct.read() || sendableServers().length === 0) return 'A tap or a recording can only be watched';
  return undefined;
}

/** The servers that requests can be sent to. */
export function sendableServers(): string[] {
  return servers.read().flatMap(({ name, status }) => (status ? [name] : []));
}

export function resendRow(row: EventRow): void {
  const request = requestRowOf(row);
  if (request) resendSeq(request.server, request.seq);
}

export function resendSeq(server: string, requestSeq: number): void {
  const names = sendableServers();
  resent.set({ server: names.includes(server) ? server : names[0]!, requestSeq });
}
