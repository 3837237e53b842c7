// A request of the timeline as a command line.

import type { CallRequest, EventDetail } from '../../../../src/inspector/api.ts';
import { announce } from '../../state/announce.ts';
import { columns } from '../../state/inspected.ts';
import { commandLine } from '../../text/command-line.ts';
import { copyText } from '../../text/copy.ts';
import { loadDetail } from './event-details.ts';

/** What the frame asks, if it is something that the command line can ask too. */
export function callOf({ json }: EventDetail): CallRequest | undefined {
  const message = (Array.isArray(json) ? json[0] : json) as {
    method?: unknown;
    params?: Record<string, unknown>;
  } | null;
  const params = message?.params;
  if (typeof message?.method !== 'string' || !params) return undefined;
  const args = (params.arguments ?? {}) as Record<string, unknown>;
  if (message.method === 'tools/call') return { kind: 'tool', name: String(params.name), args };
  if (message.method === 'resources/read') return { kind: 'resource', uri: String(params.uri) };
  if (message.method === 'prompts/get') {
    return { kind: 'prompt', name: String(params.name), args: args as Record<string, string> };
  }
  return undefined;
}

/** Of an answer, its request is meant. */
export async function copyCall(seq: number | undefined): Promise<void> {
  const index = seq === undefined ? -1 : columns.indexOf(seq);
  if (index < 0) return;
  const row = columns.row(index);
  const requestSeq = row.type === 'response' && row.pairSeq !== undefined ? row.pairSeq : row.seq;
  try {
    const call = callOf(await loadDetail(requestSeq));
    if (call) await copyText(commandLine(row.server, call), 'Command');
    else announce('Only tools/call, resources/read and prompts/get have a command line.');
  } catch (error) {
    announce((error as Error).message, 'bad');
  }
}
