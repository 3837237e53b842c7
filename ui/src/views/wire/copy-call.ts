// A request of the timeline as a command line.

import type { CallRequest, EventDetail } from '../../../../src/inspector/api.ts';
import { announce } from '../../state/announce.ts';
import { columns } from '../../state/inspected.ts';
import { commandLine } from '../../text/command-line.ts';
import { copyText } from '../../text/copy.ts';
import { loadDetail } from './event-details.ts';

/** What the frame asks, if it is something that the command line can ask too; of a batch, the first such thing. */
export function callOf({ json }: EventDetail): CallRequest | undefined {
  for (const message of Array.isArray(json) ? json : [json]) {
    const call = callOfMessage(message);
    if (call) return call;
  }
  return undefined;
}

function callOfMessage(
  message: { method?: unknown; params?: Record<string, unknown> } | null | undefined,
): CallRequest | undefined {
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
  const isAnswer = row.type === 'response' || row.type === 'answers';
  const requestSeq = isAnswer && row.pairSeq !== undefined ? row.pairSeq : row.seq;
  try {
    const call = callOf(await loadDetail(requestSeq));
    if (call) await copyText(commandLine(row.server, call), 'Command');
    else announce('Only tools/call, resources/read and prompts/get have a command line.');
  } catch (error) {
    announce((error as Error).message, 'bad');
  }
}
