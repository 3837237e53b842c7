// Requests with the envelope of 2026-07-28 and their answers in the observed processes.
//
// A transcript is read up to the first message that makes the process a server of another era: `initialize`, or a message without the envelope
// before the first request with it other than `server/discover`. Official servers of both eras choose once per process.

import { isObject, type JsonObject, metaOf } from '../../../../base/json-object.ts';
import { PROTOCOL_VERSION_KEY } from '../../../../mcp/meta.ts';
import { objectsIn } from '../../../parsed-json.ts';
import { errorOf, type RpcError } from '../../conversation.ts';
import { type Frame, isAnswer, messagesOf, type Probe } from '../../probe.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';

/** Members that all rules for 2026-07-28 have in common. */
export const modern = { since: '2026-07-28', runs: 'once' } as const;

/** A request with an envelope that was answered exactly once. */
export interface Exchange {
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly result: JsonObject | undefined;
  readonly error: RpcError | undefined;
  readonly frame: Frame;
}

/** A message, in the order of the transcript. */
export type Passed = { sent: JsonObject } | { received: JsonObject; frame: Frame };

const known = new WeakMap<Probe, { entries: number; passed: Passed[] }>();

export function exchangesOf(ruleRun: ServerRuleRun): Exchange[] {
  return exchangesOfAllVersions(ruleRun).filter(({ meta }) => meta[PROTOCOL_VERSION_KEY] === ruleRun.revision);
}

/** Includes requests that name another version. */
export function exchangesOfAllVersions({ seen }: ServerRuleRun): Exchange[] {
  return seen.flatMap((probe) => {
    const requests = new Map<string, JsonObject | undefined>();
    const exchanges: Exchange[] = [];
    for (const each of messagesThrough(probe)) {
      if ('sent' in each) {
        const key = JSON.stringify(each.sent.id);
        // Requests with the same id are not judged.
        if (isRequest(each.sent)) requests.set(key, requests.has(key) ? undefined : each.sent);
      } else if (isAnswer(each.received)) {
        const request = requests.get(JSON.stringify(each.received.id));
        if (request && PROTOCOL_VERSION_KEY in messageMeta(request)) exchanges.push(exchange(request, each));
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
    meta: messageMeta(request),
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
    for (const sent of objectsIn(bytes.toString('utf8', 0, end))) {
      const hasEnvelope = typeof messageMeta(sent)[PROTOCOL_VERSION_KEY] === 'string';
      if (!hasEnvelope && (sent.method === 'initialize' || !isModern)) return passed;
      isModern ||= sent.method !== 'server/discover';
      passed.push({ sent });
    }
  }
  return passed;
}

function isRequest({ id, method }: JsonObject): boolean {
  return id !== undefined && typeof method === 'string';
}

/** `_meta` of the parameters. */
export function messageMeta({ params }: JsonObject): JsonObject {
  return metaOf(isObject(params) ? params : undefined) ?? {};
}
