// Rules about resources, their templates and subscriptions.

import { isObject, jsonKind } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { mcp } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, METHOD_NOT_FOUND } from '../../conversation.ts';
import type { Frame } from '../../probe.ts';
import { serverRows } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { exchange, INVALID_PARAMS, notificationsIn, proofOf, refused } from './exchange.ts';
import { entriesOf, objectEntriesOf, resultsIn, shapeRule, unique } from './shape.ts';
import { callOnce, surveyOf } from './survey.ts';
import { contentsProblem } from './tool-results.ts';
import { isUri } from './uri-text.ts';

const none = 'the server has no resources';
const noTemplates = 'the server has no resource templates';
const RESOURCE_NOT_FOUND = -32002;
const MOST_SUBSCRIPTIONS = 12;
const UPDATED = 'notifications/resources/updated';

/** Longer expressions are not compared with the pattern, which would exceed the stack. */
const MOST_EXPRESSION_CHARS = 1024 * 1024;
const variable = String.raw`(?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*(?:\*|:[1-9]\d{0,3})?`;
const EXPRESSION = new RegExp(`^[+#./;?&]?${variable}(?:,${variable})*$`);

export const resourceRules = serverRows({ runs: 'each revision', uses: 'shared' }, [
  shapeRule({
    id: 'methods/resource-entries',
    level: 'MUST',
    title: 'give each resource a URI and a name',
    says: 'Each resource in the list has a `uri` and a `name`.',
    source: mcp('server/resources#resource'),
    fix: 'Give each resource a `uri` and a `name`.',
    parts: (survey) => entriesOf(survey, 'resources'),
    none,
    problem: (resource) => lacksString(resource, 'uri', 'name'),
  }),
  shapeRule({
    id: 'methods/resource-uris',
    level: 'MUST',
    title: 'use valid URIs for resources',
    says: 'The `uri` of a resource conforms to RFC 3986: it has a scheme, and reserved or non-ASCII characters are percent-encoded.',
    source: mcp('server/resources#resource'),
    fix: {
      python: 'Use pathlib.Path(path).as_uri() or urllib.parse.quote.',
      node: 'Use pathToFileURL(path).href or encodeURIComponent.',
      java: 'Use path.toUri().toString(), or new URI(scheme, host, path, null).',
      any: 'Begin the URI with a scheme, and percent-encode spaces and non-ASCII characters.',
    },
    parts: (survey) => objectEntriesOf(survey, 'resources').filter(({ value }) => typeof value.uri === 'string'),
    none,
    problem: ({ uri }) => (isUri(uri as string) ? undefined : 'has a uri that does not conform to RFC 3986'),
  }),
  {
    id: 'methods/resource-uris-are-unique',
    level: 'ADVICE',
    title: 'give each resource a unique URI',
    says: 'The URI identifies a resource: it is unique within a server.',
    source: mcp('server/resources#resource'),
    fix: 'Give each resource a different URI, and list it once.',
    check: (ruleRun) => unique(ruleRun, 'resources', 'uri', none),
  },
  {
    id: 'methods/resources-can-be-read',
    level: 'ADVICE',
    title: 'list only resources that can be read',
    says: 'Every resource in `resources/list` can be read with `resources/read`.',
    fix: 'List only readable resources, with the URIs that `resources/read` accepts.',
    check: async (ruleRun) => {
      const { reads } = await surveyOf(ruleRun);
      if (reads.length === 0) notApplicable(none);
      for (const read of reads) {
        const { error, failure, params } = read;
        const what = JSON.stringify(params.uri);
        if (failure) violation(`${failure} The request was for ${what}.`, ...proofOf(read));
        if (!error || error.code === METHOD_NOT_FOUND) continue;
        violation(`Reading ${what} was answered with the error ${describeError(error)}.`, ...proofOf(read));
      }
    },
  },
  shapeRule({
    id: 'methods/resource-contents',
    level: 'MUST',
    title: 'return contents with a URI, and a text or a blob',
    says: 'The result of `resources/read` has `contents`, a list. Each part has a `uri`, and a `text` or a `blob`.',
    source: mcp('server/resources#resource-contents'),
    fix: 'Return `{"contents": [{"uri": …, "text": …}]}`, or `blob` for binary data.',
    parts: ({ reads }) => resultsIn(reads, ({ uri }) => `The result of reading ${JSON.stringify(uri)}`),
    none: 'no resource could be read',
    problem: (result) => {
      const { contents } = result;
      if (!Array.isArray(contents)) return wrongMember(result, 'contents');
      const wrong = contents.map(contentsProblem).find((problem) => problem !== undefined);
      return wrong && `has a part that ${wrong}`;
    },
  }),
  {
    id: 'methods/unknown-resources-are-not-found',
    endIsReportedBy: 'methods/wrong-requests-are-answered',
    level: 'SHOULD',
    title: 'refuse an unknown resource with -32002',
    says: 'Reading a resource that does not exist is refused with the code -32002.',
    source: mcp('server/resources#error-handling'),
    fix: 'Answer `resources/read` for a URI that does not exist with the error -32002.',
    until: '2025-11-25',
    runs: 'each era',
    check: (ruleRun) => refusesUnknown(ruleRun, RESOURCE_NOT_FOUND),
  },
  {
    id: 'methods/unknown-resources-are-invalid-params',
    endIsReportedBy: 'methods/wrong-requests-are-answered',
    level: 'MUST',
    title: 'refuse an unknown resource with -32602',
    says: 'Since 2026-07-28, reading a resource that does not exist is refused with the code -32602. An empty list of contents is not a valid answer.',
    source: mcp('server/resources#error-handling'),
    fix: 'In 2026-07-28, answer `resources/read` for a URI that does not exist with the error -32602.',
    since: '2026-07-28',
    runs: 'each era',
    check: (ruleRun) => refusesUnknown(ruleRun, INVALID_PARAMS),
  },
  shapeRule({
    id: 'methods/template-entries',
    level: 'MUST',
    title: 'give each resource template a template and a name',
    says: 'Each entry of `resources/templates/list` has a `uriTemplate` and a `name`.',
    source: mcp('server/resources#resource-templates'),
    fix: 'Give each template a `uriTemplate` and a `name`.',
    parts: (survey) => entriesOf(survey, 'resourceTemplates'),
    none: noTemplates,
    problem: (template) => lacksString(template, 'uriTemplate', 'name'),
  }),
  shapeRule({
    id: 'methods/uri-templates',
    level: 'MUST',
    title: 'use URI templates of RFC 6570',
    says: 'A `uriTemplate` conforms to RFC 6570: its variables are in closed braces.',
    source: mcp('server/resources#resource-templates'),
    fix: 'Write variables as `{name}`, or `{+path}` for a path with slashes. `:name`, `<name>` and `{}` are not variables.',
    parts: (survey) =>
      objectEntriesOf(survey, 'resourceTemplates').filter(({ value }) => typeof value.uriTemplate === 'string'),
    none: noTemplates,
    problem: ({ uriTemplate }) => templateProblem(uriTemplate as string),
  }),
  {
    id: 'methods/subscriptions-are-answered',
    level: 'ADVICE',
    title: 'accept subscriptions to resources',
    says: 'A server that declares `resources.subscribe` lets clients subscribe to its resources and unsubscribe.',
    source: mcp('server/resources#subscriptions'),
    fix: 'Answer `resources/subscribe` and `resources/unsubscribe` with an empty result, or do not declare `subscribe`.',
    until: '2025-11-25',
    runs: 'each era',
    check: async (ruleRun) => {
      const [uri] = subscribable(ruleRun);
      for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
        const made = await exchange(ruleRun, method, { uri });
        if (made.failure) violation(made.failure, ...proofOf(made));
        if (!made.error || made.error.code === METHOD_NOT_FOUND) continue;
        violation(`\`${method}\` was answered with the error ${describeError(made.error)}.`, ...proofOf(made));
      }
    },
  },
  {
    id: 'methods/updates-are-for-subscribers',
    level: 'ADVICE',
    title: 'send updates only for subscribed resources',
    says: 'A client gets updates of the resources that it subscribed to, until it unsubscribes.',
    source: mcp('server/resources#subscriptions'),
    fix: 'Store the URIs of the subscriptions, and send updates only for these.',
    until: '2025-11-25',
    runs: 'each era',
    check: async (ruleRun) => {
      const { calls } = await surveyOf(ruleRun);
      const uris = subscribable(ruleRun);
      const observed = ruleRun.seen.flatMap(({ frames }) => frames);
      refuseUpdates(observed, 'without a subscription');
      const changing = calls.filter(({ call }) => {
        const { annotations } = call.tool;
        return !(isObject(annotations) && annotations.readOnlyHint === true);
      });
      for (const uri of uris) await exchange(ruleRun, 'resources/subscribe', { uri });
      let updating: (typeof changing)[number] | undefined;
      for (const made of changing) {
        const { window } = await callOnce(ruleRun, made.call);
        if (notificationsIn(window, UPDATED).length > 0) updating ??= made;
      }
      for (const uri of uris) await exchange(ruleRun, 'resources/unsubscribe', { uri });
      if (!updating) notApplicable('no permitted call updates a resource');
      refuseUpdates(
        (await callOnce(ruleRun, updating.call)).window,
        'after the client had unsubscribed from all resources',
      );
    },
  },
]);

function lacksString(entry: unknown, ...members: readonly string[]): string | undefined {
  if (!isObject(entry)) return `is ${jsonKind(entry)}`;
  const missing = members.find((member) => typeof entry[member] !== 'string');
  return missing && wrongMember(entry, missing);
}

async function refusesUnknown(ruleRun: ServerRuleRun, code: number): Promise<void> {
  if (!ruleRun.facts.capabilities.resources) notApplicable('the server does not declare resources');
  const params = { uri: 'standpipe-unknown://no/such/resource' };
  const { result } = await exchange(ruleRun, 'resources/read', params);
  if (Array.isArray(result?.contents) && result.contents.length > 0) {
    notApplicable('the server has a resource for any URI');
  }
  await refused(ruleRun, 'Reading an unknown resource', { method: 'resources/read', params, code, isAboutName: true });
}

export function templateProblem(template: string): string | undefined {
  const literals = template.replace(/\{([^{}]*)\}/g, (whole, expression: string) =>
    expression.length > MOST_EXPRESSION_CHARS || EXPRESSION.test(expression) ? '' : whole,
  );
  const wrong = /\{[^}]*\}?|\}/.exec(literals)?.[0];
  if (wrong !== undefined) return `has ${JSON.stringify(wrong)}, which is not an expression of RFC 6570`;
  const character = /[\s"<>\\^`|]/.exec(literals)?.[0];
  return character && `has the character ${JSON.stringify(character)} outside of expressions`;
}

function refuseUpdates(frames: readonly Frame[], when: string): void {
  const [update] = notificationsIn(frames, UPDATED);
  if (update) violation(`The server sent an update of ${JSON.stringify(update.params.uri)} ${when}.`, update.frame);
}

function subscribable({ facts }: ServerRuleRun): string[] {
  if (facts.capabilities.resources?.subscribe !== true) notApplicable('the server does not declare subscriptions');
  const uris = facts.resources.map(({ uri }) => uri).filter((uri): uri is string => typeof uri === 'string');
  return uris.length > 0 ? uris.slice(0, MOST_SUBSCRIPTIONS) : notApplicable('the server has no resources');
}
