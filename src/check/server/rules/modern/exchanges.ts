// What the processes of the revision were asked with its envelope, and what they answered: the ground of rules that read all that was seen.
//
// A process is left out from the first message that makes it a server of another era: `initialize`, or a message without the envelope
// before any but `server/discover` with it. Official servers of both eras choose once for the whole process.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { PROTOCOL_VERSION_KEY } from '../../../../mcp/meta.ts';
import { errorOf, type RpcError } from '../../conversation.ts';
import { type Frame, isAnswer, messagesOf, type Probe } from '../../probe.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';

/** A request with the envelope, and its only answer. */
export interface Exchange {
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly result: JsonObject | undefined;
  readonly error: RpcError | undefined;
  readonly frame: Frame;
}

/** Messages in the order in which they were sent and received. */
export type Passed = { sent: JsonObject } | { received: JsonObject; frame: Frame };

const known = new WeakMap<Probe, { entries: number; passed: Passed[] }>();

export function exchangesOf(ruleRun: ServerRuleRun): Exchange[] {
  return exchangesOfAllVersions(ruleRun).filter(({ meta }) => meta[PROTOCOL_VERSION_KEY] === ruleRun.revision);
}

/** Also those that name another version. */
export function exchangesOfAllVersions({ seen }: ServerRuleRun): Exchange[] {
  return seen.flatMap((probe) => {
    const requests = new Map<string, JsonObject | undefined>();
    const exchanges: Exchange[] = [];
    for (const each of messagesThrough(probe)) {
      if ('sent' in each) {
        const key = JSON.stringify(each.sent.id);
        // Of two requests with one id, none is judged.
        if (isRequest(each.sent)) requests.set(key, requests.has(key) ? undefined : each.sent);
      } else if (isAnswer(each.received)) {
        const request = requests.get(JSON.stringify(each.received.id));
        if (request && PROTOCOL_VERSION_KEY in metaOf(request)) exchanges.push(exchange(request, each));
      }
    }
    return exchanges;
  });
}

function exchange(request: JsonObject, { received, frame }: { received: JsonObject; frame: Frame }): Exchange {
  const { result } = received;
  return {
    method: request.method as string,
    params: isObject(request.params) ? request.params : {},
    meta: metaOf(request),
    result: isObject(result) ? result : undefined,
    error: errorOf(received),
    frame,
  };
}

export function messagesThrough(probe: Probe): readonly Passed[] {
  const { entries } = probe.transcript;
  const before = known.get(probe);
  if (before?.entries === entries.length) return before.passed;
  const passed = read(probe);
  known.set(probe, { entries: entries.length, passed });
  return passed;
}

function read({ transcript }: Probe): Passed[] {
  const passed: Passed[] = [];
  let rest = Buffer.alloc(0);
  let isModern = false;
  for (const entry of transcript.entries) {
    if (entry.kind === 'received' && 'json' in entry) {
      const frame = entry as Frame;
      for (const received of messagesOf(frame)) passed.push({ received, frame });
    }
    if (entry.kind !== 'sent') continue;
    const bytes = rest.length === 0 ? Buffer.from(entry.bytes) : Buffer.concat([rest, entry.bytes]);
    const end = bytes.lastIndexOf(10) + 1;
    rest = bytes.subarray(end);
    for (const sent of parsedLines(bytes.subarray(0, end))) {
      const hasEnvelope = typeof metaOf(sent)[PROTOCOL_VERSION_KEY] === 'string';
      if (!hasEnvelope && (sent.method === 'initialize' || !isModern)) return passed;
      isModern ||= sent.method !== 'server/discover';
      passed.push({ sent });
    }
  }
  return passed;
}

function parsedLines(bytes: Buffer): JsonObject[] {
  const lines = bytes.toString('utf8').split('\n');
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line)].flat().filter(isObject);
    } catch {
      return [];
    }
  });
}

function isRequest({ id, method }: JsonObject): boolean {
  return id !== undefined && typeof method === 'string';
}

export function metaOf({ params }: JsonObject): JsonObject {
  return isObject(params) && isObject(params._meta) ? params._meta : {};
}
