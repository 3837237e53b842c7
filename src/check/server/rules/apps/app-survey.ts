// The tools, views and results that a server gives to a client that shows MCP Apps. A server may hide views from other
// clients, so the survey uses a separate connection.

import { isObject, type JsonObject, metaOf } from '../../../../base/json-object.ts';
import { APP_TYPE, APPS } from '../../../../mcp/extensions/apps.ts';
import { perRevision } from '../../../rule-run.ts';
import { notApplicable } from '../../../verdict.ts';
import type { PermittedCall } from '../../calls.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { type Exchange, exchangeIn, listIn } from '../methods/exchange.ts';
import type { Part } from '../methods/shape.ts';
import { callTimeoutMs, walk } from '../methods/survey.ts';

/** A tool with settings of MCP Apps. */
export interface AppTool {
  readonly tool: JsonObject;
  /** `_meta.ui`, which may be of any type. */
  readonly ui: unknown;
  /** The deprecated member of `_meta`. */
  readonly flatUri: unknown;
  /** The URI of the tool's view, which may be of any type. */
  readonly uri: unknown;
}

export interface AppSurvey {
  readonly tools: readonly Part<AppTool>[];
  /** Entries of `resources/list` with the scheme of views. */
  readonly entries: readonly Part<JsonObject>[];
  /** Requests for views: one for each view of a tool. */
  readonly reads: readonly Exchange[];
  readonly calls: readonly (Exchange & { readonly call: PermittedCall })[];
}

export const SCHEME = 'ui://';

const capabilities = { extensions: { [APPS]: { mimeTypes: [APP_TYPE] } } };

/** Limit of the requests of each kind. */
const MOST_REQUESTS = 12;

/** The survey of one revision. Not applicable if no tool of the server has a view. */
export const appSurvey = perRevision(async (ruleRun: ServerRuleRun): Promise<AppSurvey> => {
  const declared = ruleRun.facts.capabilities;
  if (!declared.tools) notApplicable('the server has no tools');
  const conversation = await ruleRun.open({ capabilities });
  const ask = (method: string, params: JsonObject, timeoutMs?: number) =>
    exchangeIn(conversation, method, params, timeoutMs);
  const entriesOf = async (method: string, member: string) =>
    (await walk(ask, method)).pages.flatMap((exchange) =>
      listIn(exchange.result, member)
        .filter(isObject)
        .map((value) => ({ value, exchange })),
    );
  const tools = (await entriesOf('tools/list', 'tools')).flatMap(({ value, exchange }) => {
    const tool = appTool(value);
    return tool ? [{ value: tool, what: `The tool ${JSON.stringify(value.name)}`, exchange }] : [];
  });
  if (tools.length === 0) notApplicable('no tool has a view of MCP Apps');
  const listed = declared.resources ? await entriesOf('resources/list', 'resources') : [];
  const entries = listed
    .filter(({ value }) => isViewUri(value.uri))
    .map((entry) => ({ ...entry, what: `The resource ${JSON.stringify(entry.value.uri)}` }));
  const uris = [...new Set(tools.map(({ value }) => value.uri).filter(isViewUri))].slice(0, MOST_REQUESTS);
  const reads: Exchange[] = [];
  for (const uri of uris) reads.push(await ask('resources/read', { uri }));
  const calls: AppSurvey['calls'][number][] = [];
  for (const call of (await ruleRun.callsOf(tools.map(({ value }) => value.tool))).slice(0, MOST_REQUESTS)) {
    const params = { name: call.name, arguments: call.arguments };
    calls.push({ ...(await ask('tools/call', params, callTimeoutMs(ruleRun))), call });
  }
  return { tools, entries, reads, calls };
});

export function isViewUri(uri: unknown): uri is string {
  return typeof uri === 'string' && uri.startsWith(SCHEME);
}

/** Returns undefined for a tool without settings of MCP Apps. */
export function appTool(tool: JsonObject): AppTool | undefined {
  const { ui, 'ui/resourceUri': flatUri } = metaOf(tool) ?? {};
  if (ui === undefined && flatUri === undefined) return undefined;
  return { tool, ui, flatUri, uri: (isObject(ui) ? ui.resourceUri : undefined) ?? flatUri };
}

/** The contents of all views that could be read. */
export function viewContents({ reads }: AppSurvey): Part<JsonObject>[] {
  return reads.flatMap((exchange) =>
    listIn(exchange.result, 'contents')
      .filter(isObject)
      .map((value) => ({ value, what: `The view ${JSON.stringify(exchange.params.uri)}`, exchange })),
  );
}
