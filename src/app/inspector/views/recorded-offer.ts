// The lists and the description of a server from its recorded answers: for taps and recordings, whose servers cannot be asked.

import { decodeText } from '../../../base/decode-text.ts';
import { isObject, metaOf } from '../../../base/json-object.ts';
import { isNestedTooDeeply } from '../../../base/to-json.ts';
import { SERVER_INFO } from '../../../mcp/meta.ts';
import { type ListName, listMethods } from '../../../mcp/methods.ts';
import type { Implementation, ServerCapabilities, Tool } from '../../../mcp/types.ts';
import type { Answered } from '../../../observe/analysis/recorded-lists.ts';
import type { ServerOffer } from '../api.ts';
import type { InspectorView } from './view.ts';

type Json = Record<string, unknown>;

export async function recordedOffer(view: InspectorView, server: string): Promise<ServerOffer> {
  await view.caughtUp();
  const missing: string[] = [];
  const list = <T>(name: ListName): T[] => {
    const { entries, isWhole } = entriesOf(view, server, name);
    if (!isWhole) missing.push(listMethods[name].what);
    return entries as T[];
  };
  const described = descriptionOf(view, server);
  const lists = {
    tools: list<ServerOffer['tools'][number]>('tools'),
    resources: list<ServerOffer['resources'][number]>('resources'),
    resourceTemplates: list<ServerOffer['resourceTemplates'][number]>('resourceTemplates'),
    prompts: list<ServerOffer['prompts'][number]>('prompts'),
  };
  const isIncomplete = missing.length > 0 && `Parts of the recorded lists are not stored: ${missing.join(', ')}`;
  return { ...lists, ...described, recorded: true, error: isIncomplete || undefined };
}

/** The definition of a tool in the newest recorded list before an event. */
export function recordedTool(view: InspectorView, server: string, name: string): Tool | undefined {
  const { entries } = entriesOf(view, server, 'tools');
  return (entries as Tool[]).find((tool) => tool.name === name);
}

/** Lists by the number of their newest answer, because every result of a tool looks into them. */
const known = new WeakMap<InspectorView, Map<string, { seq: number; entries: unknown[]; isWhole: boolean }>>();

function entriesOf(view: InspectorView, server: string, name: ListName): { entries: unknown[]; isWhole: boolean } {
  const { method, member } = listMethods[name];
  const answers = view.analysis.lists.of(server, method);
  const seq = answers.at(-1)?.answerSeq ?? 0;
  const lists = known.get(view) ?? new Map();
  known.set(view, lists);
  const key = `${method} ${server}`;
  const kept = lists.get(key);
  if (kept?.seq === seq) return kept;
  const read = { seq, ...readPages(view, answers, member) };
  lists.set(key, read);
  return read;
}

/** Goes back from the newest page to the one that was requested without a cursor. */
function readPages(
  view: InspectorView,
  answers: readonly Answered[],
  member: ListName,
): { entries: unknown[]; isWhole: boolean } {
  let entries: unknown[] = [];
  for (const { requestSeq, answerSeq } of [...answers].reverse()) {
    const result = resultOf(view, answerSeq);
    const page = result?.[member];
    if (!Array.isArray(page)) return { entries, isWhole: false };
    entries = [...page.filter(isObject), ...entries];
    const params = messageOf(view, requestSeq)?.params;
    if (!isObject(params) || params.cursor === undefined) return { entries, isWhole: true };
  }
  return { entries, isWhole: answers.length === 0 };
}

function descriptionOf(
  view: InspectorView,
  server: string,
): Pick<ServerOffer, 'info' | 'capabilities' | 'instructions' | 'revision'> {
  const { lists } = view.analysis;
  const newest = ['initialize', 'server/discover']
    .flatMap((method) => lists.of(server, method).slice(-1))
    .sort((a, b) => b.answerSeq - a.answerSeq)[0];
  const result = newest && resultOf(view, newest.answerSeq);
  if (!result) return { revision: 'unknown', instructions: undefined };
  const { capabilities, instructions, protocolVersion, supportedVersions } = result;
  const info = result.serverInfo ?? metaOf(result)?.[SERVER_INFO];
  const revision = protocolVersion ?? (Array.isArray(supportedVersions) ? supportedVersions[0] : undefined);
  return {
    revision: typeof revision === 'string' ? revision : 'unknown',
    instructions: typeof instructions === 'string' ? instructions : undefined,
    info: isObject(info) ? (info as unknown as Implementation) : undefined,
    capabilities: isObject(capabilities) ? (capabilities as ServerCapabilities) : undefined,
  };
}

function resultOf(view: InspectorView, seq: number): Json | undefined {
  const result = messageOf(view, seq)?.result;
  return isObject(result) ? result : undefined;
}

/** Undefined if the event was dropped, is cut or is a batch. */
function messageOf(view: InspectorView, seq: number): Json | undefined {
  const event = view.source.flow.get(seq);
  if (event?.kind !== 'frame' || event.cut) return undefined;
  try {
    const message: unknown = JSON.parse(decodeText(event.payload));
    return isObject(message) && !isNestedTooDeeply(message) ? message : undefined;
  } catch {
    return undefined; // other output on the same line: the list is not complete
  }
}
