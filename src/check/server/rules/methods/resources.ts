// Rules about listing and reading resources.

import { isObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { contentsProblem } from './content.ts';
import { exchange, INVALID_PARAMS, proofOf, refused } from './exchange.ts';
import { entriesOf, objectEntriesOf, shapeRule } from './shape.ts';
import { surveyOf } from './survey.ts';
import { unique } from './tool-entries.ts';

const none = 'the server has no resources';
const RESOURCE_NOT_FOUND = -32002;

export const resourceEntries = shapeRule({
  id: 'methods/resource-entries',
  level: 'MUST',
  title: 'give each resource a URI and a name',
  says: 'Each resource in the list has a `uri` and a `name`.',
  source: { of: 'mcp', page: 'server/resources#resource' },
  fix: { any: 'Give each resource a `uri` and a `name`.' },
  parts: (survey) => entriesOf(survey, 'resources'),
  none,
  problem: (resource) => {
    if (!isObject(resource)) return `is ${jsonKind(resource)}`;
    const missing = ['uri', 'name'].find((member) => typeof resource[member] !== 'string');
    return missing && wrongMember(resource, missing);
  },
});

/** RFC 3986: a scheme, then its characters. Their order is left to the scheme. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;

export const resourceUris = shapeRule({
  id: 'methods/resource-uris',
  level: 'MUST',
  title: 'use valid URIs for resources',
  says: 'The `uri` of a resource follows RFC 3986: it has a scheme, and other characters than the allowed ones are percent-encoded.',
  source: { of: 'mcp', page: 'server/resources#resource' },
  fix: {
    python: 'Use pathlib.Path(path).as_uri() or urllib.parse.quote.',
    node: 'Use pathToFileURL(path).href or encodeURIComponent.',
    java: 'Use path.toUri().toString(), or new URI(scheme, host, path, null).',
    any: 'Percent-encode spaces and characters beyond ASCII, and begin with a scheme.',
  },
  parts: (survey) => objectEntriesOf(survey, 'resources').filter(({ value }) => typeof value.uri === 'string'),
  none,
  problem: ({ uri }) => (URI.test(uri as string) ? undefined : 'has a uri that is not valid by RFC 3986'),
});

export const resourceUrisAreUnique: ServerRule = {
  id: 'methods/resource-uris-are-unique',
  level: 'ADVICE',
  title: 'give each resource its own URI',
  says: 'The URI identifies a resource: it is unique within a server.',
  source: { of: 'mcp', page: 'server/resources#resource' },
  fix: { any: 'Give each resource a URI of its own, and list it once.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => unique(await surveyOf(ruleRun), 'resources', 'uri', none),
};

export const resourcesCanBeRead: ServerRule = {
  id: 'methods/resources-can-be-read',
  level: 'ADVICE',
  title: 'list only resources that can be read',
  says: 'What `resources/list` names can be read with `resources/read`.',
  source: { of: 'standpipe' },
  fix: { any: 'List only what can be read, with the URIs that `resources/read` takes.' },
  runs: 'each revision',
  uses: 'shared',
  check: async (ruleRun) => {
    const { reads } = await surveyOf(ruleRun);
    if (reads.length === 0) notApplicable(none);
    for (const read of reads) {
      const { error, failure, params } = read;
      if (failure) violation(`${failure} It was for ${JSON.stringify(params.uri)}.`, ...proofOf(read));
      if (!error || error.code === METHOD_NOT_FOUND) continue;
      const what = JSON.stringify(params.uri);
      violation(`Reading ${what} was answered with the error ${describeError(error)}.`, ...proofOf(read));
    }
  },
};

export const resourceContents = shapeRule({
  id: 'methods/resource-contents',
  level: 'MUST',
  title: 'return contents with a URI, and a text or a blob',
  says: 'The result of `resources/read` has `contents`, a list. Each part has a `uri`, and a `text` or a `blob`.',
  source: { of: 'mcp', page: 'server/resources#resource-contents' },
  fix: { any: 'Return `{"contents": [{"uri": …, "text": …}]}`, or `blob` for binary data.' },
  parts: (survey) =>
    survey.reads.flatMap((exchange) => {
      const what = `The result of reading ${JSON.stringify(exchange.params.uri)}`;
      return exchange.result ? [{ value: exchange.result, what, exchange }] : [];
    }),
  none: 'no resource could be read',
  problem: (result) => {
    const { contents } = result;
    if (!Array.isArray(contents)) return wrongMember(result, 'contents');
    const wrong = contents.map(contentsProblem).find((problem) => problem !== undefined);
    return wrong && `has a part that ${wrong}`;
  },
});

export const unknownResources: ServerRule = {
  id: 'methods/unknown-resources-are-not-found',
  level: 'SHOULD',
  title: 'refuse an unknown resource with -32002',
  says: 'Reading a resource that does not exist is refused with the code -32002.',
  source: { of: 'mcp', page: 'server/resources#error-handling' },
  fix: { any: 'Answer `resources/read` for a URI that does not exist with the error -32002.' },
  until: '2025-11-25',
  runs: 'each era',
  uses: 'shared',
  check: (ruleRun) => refusesUnknown(ruleRun, RESOURCE_NOT_FOUND),
};

export const unknownResourcesSince2026: ServerRule = {
  id: 'methods/unknown-resources-are-invalid-params',
  level: 'MUST',
  title: 'refuse an unknown resource with -32602',
  says: 'Since 2026-07-28, reading a resource that does not exist is refused with the code -32602. An empty list of contents is not a valid answer.',
  source: { of: 'mcp', page: 'server/resources#error-handling' },
  fix: { any: 'In 2026-07-28, answer `resources/read` for a URI that does not exist with the error -32602.' },
  since: '2026-07-28',
  runs: 'each era',
  uses: 'shared',
  check: (ruleRun) => refusesUnknown(ruleRun, INVALID_PARAMS),
};

async function refusesUnknown(ruleRun: ServerRuleRun, code: number): Promise<void> {
  if (!ruleRun.facts.capabilities.resources) notApplicable('the server declares no resources');
  const params = { uri: 'standpipe-unknown://no/such/resource' };
  const { result } = await exchange(ruleRun, 'resources/read', params);
  if (Array.isArray(result?.contents) && result.contents.length > 0) {
    notApplicable('the server has a resource for any URI');
  }
  await refused(ruleRun, 'Reading an unknown resource', { method: 'resources/read', params, code, isAboutName: true });
}
