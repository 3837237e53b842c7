// The official schemas, for what no other rule looks at. They do not distinguish revisions and accept members that they do not know.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import { isOfService, methodsOfMcp } from '../../../../mcp/methods.ts';
import { type Issue, resultIssues } from '../../../../observe/analysis/schema-check.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { type Frame, isAnswer, messagesOf, type Probe } from '../../probe.ts';
import type { ServerRule } from '../../server-rule.ts';

const methods = [...methodsOfMcp.keys()].filter(isOfService);

/** Members covered by other rules, including everything nested in them. */
const elsewhere = new Set<unknown>([
  ...['name', 'uri', 'uriTemplate', 'inputSchema', 'outputSchema', 'annotations', 'arguments', 'isError', 'content'],
  ...['messages', 'text', 'blob', 'completion', 'structuredContent', 'icons', '_meta'],
  ...['resultType', 'ttlMs', 'cacheScope'],
]);
const lists = new Set<unknown>(['tools', 'resources', 'resourceTemplates', 'prompts', 'contents']);

export const fitsOfficialSchema: ServerRule = {
  id: 'methods/results-fit-the-schema',
  level: 'MUST',
  title: 'send results that fit the schema',
  says: 'Members of results have the types of the schema: titles, descriptions, MIME types and cursors are strings, sizes are numbers.',
  source: { of: 'mcp', page: 'basic/index#schema' },
  fix: {
    any: 'Leave out members that have no value instead of sending null, and give the others the type of the schema.',
  },
  runs: 'each revision',
  uses: 'seen',
  check: async ({ seen }) => {
    const results = seen.flatMap((probe) => resultsOf(probe, methods));
    if (results.length === 0) notApplicable('the server gave no results of lists, calls, reads or prompts');
    const judged = new Set<string>(); // many rules ask for the same list
    for (const { method, result, frame } of results) {
      const text = method + JSON.stringify(result);
      if (judged.has(text)) continue;
      judged.add(text);
      const issue = (await resultIssues(method, result)).find(isOwn);
      if (!issue) continue;
      violation(
        `The result of \`${method}\` is wrong at ${issue.path.map(String).join('.')}: ${issue.message}.`,
        frame,
      );
    }
  },
};

function isOwn({ path }: Issue): boolean {
  const last = path.findLast((part) => typeof part === 'string');
  return last !== undefined && !lists.has(last) && !path.some((part) => elsewhere.has(part));
}

interface Seen {
  method: string;
  result: JsonObject;
  frame: Frame;
}

/** Results with the method of their request, by what went over the pipes in order. */
export function resultsOf({ transcript, frames }: Probe, methods: readonly string[]): Seen[] {
  const received = new Set<unknown>(frames);
  const asked = new Map<string, string>();
  const found: Seen[] = [];
  for (const entry of transcript.entries) {
    if (entry.kind === 'sent') {
      for (const { id, method } of sentMessages(entry.bytes, methods)) asked.set(JSON.stringify(id), String(method));
    } else if (received.has(entry)) {
      for (const message of messagesOf(entry as Frame)) {
        const method = asked.get(JSON.stringify(message.id)) ?? '';
        const { result } = message;
        if (!isAnswer(message) || !isObject(result) || !methods.includes(method)) continue;
        if (result.resultType !== undefined && result.resultType !== 'complete') continue;
        found.push({ method, result, frame: entry as Frame });
      }
    }
  }
  return found;
}

/** Requests of these methods that were sent as one line. */
function sentMessages(bytes: Uint8Array, methods: readonly string[]): JsonObject[] {
  const text = Buffer.from(bytes).toString('utf8');
  if (!methods.some((method) => text.includes(`"${method}"`))) return [];
  return text.split('\n').flatMap((line) => {
    try {
      const message: unknown = JSON.parse(line);
      return isObject(message) ? [message] : [];
    } catch {
      return [];
    }
  });
}
