// A request of the timeline as a command line.

import type { CallRequest, EventDetail, EventRow } from '../../../../src/app/inspector/api.ts';
import { argumentsOf, entriesOf, parseExact, plainOf } from '../../json/exact-json.ts';
import { announce } from '../../state/announce.ts';
import { copyCommand } from '../../state/copy-command.ts';
import { columns } from '../../state/inspected.ts';
import { loadDetail } from './event-details.ts';

export type ToolCall = CallRequest & { kind: 'tool' };

/** The payload as lossless JSON. Undefined if it is not JSON, or nested too deeply. */
export function exactOf(detail: EventDetail | undefined): unknown {
  const hasJson = detail?.text !== undefined && detail.json !== undefined && detail.json !== null;
  return hasJson ? parseExact(detail.text!) : undefined;
}

/** The first request of the frame that the command line can send too. */
export function callOf(exact: unknown): CallRequest | undefined {
  for (const message of Array.isArray(exact) ? exact : [exact]) {
    const call = callOfMessage(message);
    if (call) return call;
  }
  return undefined;
}

function callOfMessage(message: unknown): CallRequest | undefined {
  const { method, params: given } = membersOf(message);
  const params = membersOf(given);
  if (typeof method !== 'string' || given === undefined) return undefined;
  if (method === 'tools/call') {
    return { kind: 'tool', name: String(params.name), ...argumentsOf(params.arguments ?? {}) };
  }
  const args = plainOf(params.arguments ?? {}) as Record<string, string>;
  if (method === 'resources/read') return { kind: 'resource', uri: String(params.uri) };
  return method === 'prompts/get' ? { kind: 'prompt', name: String(params.name), args } : undefined;
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(entriesOf(value)) : {};
}

/** Whether the event belongs to a client connection, not to a server. */
export function isOfClient({ client, server }: EventRow): boolean {
  return client !== undefined && client === server;
}

/** Copies a request as a command; for a response, the request that it answers. */
export async function copyCall(seq: number | undefined): Promise<void> {
  const index = seq === undefined ? -1 : columns.indexOf(seq);
  if (index < 0) return;
  const row = columns.row(index);
  if (isOfClient(row)) return announce('Copy it from the request to the server (x).');
  const isAnswer = row.type === 'response' || row.type === 'answers';
  const requestSeq = isAnswer && row.pairSeq !== undefined ? row.pairSeq : row.seq;
  try {
    const call = callOf(exactOf(await loadDetail(requestSeq)));
    if (call) await copyCommand(row.server, call);
    else announce('Only tools/call, resources/read and prompts/get have a command line.');
  } catch (error) {
    announce((error as Error).message, 'bad');
  }
}
