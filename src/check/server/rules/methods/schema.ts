// Rules about members that many objects have, and about conformance to the official schemas where other rules do not cover it. The
// schemas are the same for
// all revisions and accept unknown members.

import { isObject, type JsonObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { isOfService, methodsOfMcp } from '../../../../mcp/methods.ts';
import { type Issue, misspelling, resultIssues } from '../../../../observe/analysis/schema-check.ts';
import { objectsIn } from '../../../parsed-json.ts';
import { mcp } from '../../../sources.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import { type Frame, isAnswer, messagesOf, type Probe } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import {
  contentBlocks,
  isObjectPart,
  objectEntriesOf,
  type Part,
  readContents,
  resultsIn,
  shapeRule,
} from './shape.ts';
import type { Survey } from './survey.ts';

const methods = [...methodsOfMcp.keys()];
const serviceMethods = methods.filter(isOfService);

const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const KEY = new RegExp(String.raw`^(?:${label}(?:\.${label})*/)?(?:[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)?$`);

/** Members covered by other rules, including everything nested in them. */
const elsewhere = new Set<unknown>([
  ...['name', 'uri', 'uriTemplate', 'inputSchema', 'outputSchema', 'annotations', 'arguments', 'isError', 'content'],
  ...['messages', 'text', 'blob', 'completion', 'structuredContent', 'icons', '_meta'],
  ...['resultType', 'ttlMs', 'cacheScope'],
]);
const lists = new Set<unknown>(['tools', 'resources', 'resourceTemplates', 'prompts', 'contents']);

export const schemaRules = serverRows({ runs: 'each revision', uses: 'seen' }, [
  shapeRule({
    id: 'methods/meta-keys',
    level: 'MUST',
    title: 'use valid keys in `_meta`',
    says: 'A key of `_meta` has an optional prefix of labels with dots and a slash, and a name that begins and ends with a letter or digit.',
    source: mcp('basic/index#meta'),
    fix: 'Name your own keys like `com.example/name`.',
    since: '2025-06-18',
    parts: (survey) => withMember(survey, '_meta'),
    none: 'nothing that the server sent has a `_meta`',
    problem: ({ _meta }) => {
      if (!isObject(_meta)) return `has a _meta that is ${jsonKind(_meta)}`;
      const wrong = Object.keys(_meta).find((key) => !KEY.test(key));
      return wrong === undefined ? undefined : `has the invalid key ${JSON.stringify(wrong)} in _meta`;
    },
  }),
  shapeRule({
    id: 'methods/icons',
    level: 'MUST',
    title: 'give icons a source and members of the right types',
    says: '`icons` is a list. Each icon has a `src`; `mimeType` is a string, `sizes` a list of strings, `theme` light or dark.',
    source: mcp('basic/index#icons'),
    fix: 'Write `{"src": "https://…", "sizes": ["48x48"]}`. `sizes` is a list.',
    since: '2025-11-25',
    parts: (survey) => withMember(survey, 'icons'),
    none: 'nothing that the server sent has icons',
    problem: ({ icons: given }) => {
      if (!Array.isArray(given)) return `has icons that are ${jsonKind(given)}`;
      return given.map(iconProblem).find((problem) => problem !== undefined);
    },
  }),
  {
    id: 'methods/results-fit-the-schema',
    level: 'MUST',
    title: 'send results that conform to the schema',
    says: 'Members of results have the types of the schema: titles, descriptions, MIME types and cursors are strings, sizes are numbers.',
    source: mcp('basic/index#schema'),
    fix: 'Leave out members without a value instead of sending null, and give the others the type of the schema.',
    check: async ({ seen }) => {
      const results = seen.flatMap((probe) => resultsOf(probe, serviceMethods));
      if (results.length === 0) notApplicable('the server returned no results of lists, calls, reads or prompts');
      const judged = new Set<string>(); // many rules request the same list
      for (const { method, result, frame } of results) {
        const text = method + JSON.stringify(result);
        if (judged.has(text)) continue;
        judged.add(text);
        const issue = (await resultIssues(method, result)).find(isOwn);
        if (!issue) continue;
        const path = issue.path.map(String).join('.');
        violation(`The result of \`${method}\` does not conform at ${path}: ${issue.message}.`, frame);
      }
    },
  },
  {
    id: 'methods/member-names',
    level: 'ADVICE',
    title: 'spell optional members like the specification',
    says: 'Clients ignore unknown members. A member whose name differs from the specification only in case, `_` or `-`, such as `next_cursor`, has no effect.',
    fix: 'Rename the member. MCP uses camelCase: `nextCursor`, `mimeType`, `isError`, `structuredContent`.',
    check: async ({ seen }) => {
      const judged = new Set<string>(); // many rules request the same list
      const judge = async (kind: 'asked' | 'result', method: string, value: unknown, frame: Frame) => {
        const text = method + JSON.stringify(value);
        if (judged.has(text)) return;
        judged.add(text);
        const found = await misspelling(method, kind, value);
        if (!found) return;
        const { name, meant } = found;
        const what = kind === 'result' ? `The result of \`${method}\`` : `\`${method}\``;
        throw new Violation(
          `${what} has \`${name}\`, which clients ignore: the specification has \`${meant}\`.`,
          [frame],
          `Rename \`${name}\` to \`${meant}\`.`,
        );
      };
      for (const probe of seen) {
        for (const { method, result, frame } of resultsOf(probe, methods)) await judge('result', method, result, frame);
        for (const frame of probe.frames) {
          for (const message of messagesOf(frame)) {
            if (isAnswer(message) || typeof message.method !== 'string') continue;
            await judge('asked', message.method, message, frame);
          }
        }
      }
    },
  },
]);

function iconProblem(icon: unknown): string | undefined {
  if (!isObject(icon)) return `has an icon that is ${jsonKind(icon)}`;
  const { src, mimeType, sizes, theme } = icon;
  if (typeof src !== 'string') return `has an icon that ${wrongMember(icon, 'src')}`;
  if (mimeType !== undefined && typeof mimeType !== 'string')
    return `has an icon with a mimeType that is ${jsonKind(mimeType)}`;
  const areSizes = Array.isArray(sizes) && sizes.every((size) => typeof size === 'string');
  if (sizes !== undefined && !areSizes) return `has an icon with the sizes ${JSON.stringify(sizes)}`;
  return theme === undefined || theme === 'light' || theme === 'dark'
    ? undefined
    : `has an icon with the theme ${JSON.stringify(theme)}`;
}

/** All observed results, list entries, content blocks and resource contents that have this member. */
function withMember(survey: Survey, member: string): Part<JsonObject>[] {
  const { lists: walks, calls, reads, gets, completions } = survey;
  const exchanges = [...walks.flatMap(({ pages }) => pages), ...calls, ...reads, ...gets, ...completions];
  const parts = [
    ...exchanges.flatMap((exchange) => resultsIn([exchange], () => `The result of \`${exchange.method}\``)),
    ...objectEntriesOf(survey, 'tools', 'resources', 'resourceTemplates', 'prompts'),
    ...[...contentBlocks(survey), ...readContents(survey)].filter(isObjectPart),
  ];
  return parts.filter(({ value }) => value[member] !== undefined);
}

function isOwn({ path }: Issue): boolean {
  const last = path.findLast((part) => typeof part === 'string');
  return last !== undefined && !lists.has(last) && !path.some((part) => elsewhere.has(part));
}

interface Seen {
  method: string;
  result: JsonObject;
  frame: Frame;
}

/** Results with the method of their request, from the transcript. */
function resultsOf({ transcript, frames }: Probe, of: readonly string[]): Seen[] {
  const received = new Set<unknown>(frames);
  const asked = new Map<string, string>();
  const found: Seen[] = [];
  for (const entry of transcript.entries) {
    if (entry.kind === 'sent') {
      for (const { id, method } of sentMessages(entry.bytes, of)) asked.set(JSON.stringify(id), String(method));
    } else if (received.has(entry)) {
      for (const message of messagesOf(entry as Frame)) {
        const method = asked.get(JSON.stringify(message.id)) ?? '';
        const { result } = message;
        if (!isAnswer(message) || !isObject(result) || !of.includes(method)) continue;
        if (result.resultType !== undefined && result.resultType !== 'complete') continue;
        found.push({ method, result, frame: entry as Frame });
      }
    }
  }
  return found;
}

/** Requests of these methods that were sent as one line. */
function sentMessages(bytes: Uint8Array, of: readonly string[]): JsonObject[] {
  const text = Buffer.from(bytes).toString('utf8');
  if (!of.some((method) => text.includes(`"${method}"`))) return [];
  return objectsIn(text);
}
