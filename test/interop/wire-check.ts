// Checks our messages against the schemas of `@modelcontextprotocol/core`: first as JSON-RPC, then as the request,
// result or notification that they are. These schemas ignore revisions and drop unknown members, so two checks are
// added: none of our members may be dropped, and the requirements of 2026-07-28 for every message, which have no
// schema, are checked here.

import { isDeepStrictEqual } from 'node:util';
import * as core from '@modelcontextprotocol/core';
import type { WireRecord } from './wire-record.ts';

type Side = WireRecord['from'];
type Fields = Record<string, unknown>;
interface Schema {
  safeParse(value: unknown): { success: boolean; data?: unknown; error?: { message: string } };
}

const requests: Record<string, { request: Schema; result: Schema }> = {
  initialize: { request: core.InitializeRequestSchema, result: core.InitializeResultSchema },
  ping: { request: core.PingRequestSchema, result: core.EmptyResultSchema },
  'server/discover': { request: core.DiscoverRequestSchema, result: core.DiscoverResultSchema },
  'tools/list': { request: core.ListToolsRequestSchema, result: core.ListToolsResultSchema },
  'tools/call': { request: core.CallToolRequestSchema, result: core.CallToolResultSchema },
  'resources/list': { request: core.ListResourcesRequestSchema, result: core.ListResourcesResultSchema },
  'resources/templates/list': {
    request: core.ListResourceTemplatesRequestSchema,
    result: core.ListResourceTemplatesResultSchema,
  },
  'resources/read': { request: core.ReadResourceRequestSchema, result: core.ReadResourceResultSchema },
  'resources/subscribe': { request: core.SubscribeRequestSchema, result: core.EmptyResultSchema },
  'resources/unsubscribe': { request: core.UnsubscribeRequestSchema, result: core.EmptyResultSchema },
  'prompts/list': { request: core.ListPromptsRequestSchema, result: core.ListPromptsResultSchema },
  'prompts/get': { request: core.GetPromptRequestSchema, result: core.GetPromptResultSchema },
  'completion/complete': { request: core.CompleteRequestSchema, result: core.CompleteResultSchema },
  'logging/setLevel': { request: core.SetLevelRequestSchema, result: core.EmptyResultSchema },
  'subscriptions/listen': {
    request: core.SubscriptionsListenRequestSchema,
    result: core.SubscriptionsListenResultSchema,
  },
  'elicitation/create': { request: core.ElicitRequestSchema, result: core.ElicitResultSchema },
  'sampling/createMessage': { request: core.CreateMessageRequestSchema, result: core.CreateMessageResultSchema },
  'roots/list': { request: core.ListRootsRequestSchema, result: core.ListRootsResultSchema },
};

const notifications: Record<string, Schema> = {
  'notifications/initialized': core.InitializedNotificationSchema,
  'notifications/cancelled': core.CancelledNotificationSchema,
  'notifications/progress': core.ProgressNotificationSchema,
  'notifications/message': core.LoggingMessageNotificationSchema,
  'notifications/tools/list_changed': core.ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': core.PromptListChangedNotificationSchema,
  'notifications/resources/list_changed': core.ResourceListChangedNotificationSchema,
  'notifications/resources/updated': core.ResourceUpdatedNotificationSchema,
  'notifications/roots/list_changed': core.RootsListChangedNotificationSchema,
  'notifications/subscriptions/acknowledged': core.SubscriptionsAcknowledgedNotificationSchema,
};

const META = 'io.modelcontextprotocol/';
const cacheable = [
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
];

export interface WireReport {
  /** Number of our messages. */
  checked: number;
  violations: string[];
}

export function checkWire(records: WireRecord[], ours: Side): WireReport {
  const violations: string[] = [];
  const asked = askedBy(records);
  let checked = 0;
  for (const { connection, from, message } of records) {
    if (from !== ours) continue;
    checked++;
    const problem = problemWith(message as Fields, (id) => asked.get(keyOf(connection, other(from), id)));
    if (problem) violations.push(`${problem} in ${JSON.stringify(message).slice(0, 300)}`);
  }
  return { checked, violations };
}

/** The requests by their id, to check each answer against its request. */
function askedBy(records: WireRecord[]): Map<string, Fields> {
  const asked = new Map<string, Fields>();
  for (const { connection, from, message } of records) {
    const { id, method } = message as Fields;
    if (method !== undefined && id !== undefined) asked.set(keyOf(connection, from, id), message as Fields);
  }
  return asked;
}

const keyOf = (connection: number, from: Side, id: unknown) => JSON.stringify([connection, from, id]);
const other = (side: Side): Side => (side === 'client' ? 'server' : 'client');

function problemWith(message: Fields, requestOf: (id: unknown) => Fields | undefined): string | undefined {
  const { id, method, params, result } = message;
  const problem = fits(core.JSONRPCMessageSchema, message);
  if (problem) return `not JSON-RPC: ${problem}`;
  if (typeof method === 'string' && id === undefined) return fitsKnown(notifications[method], message, method);
  if (typeof method === 'string') return problemWithRequest(method, message, params as Fields | undefined);
  if (result === undefined) return undefined; // errors have no further schema than JSON-RPC
  const request = requestOf(id);
  if (!request) return 'an answer to nothing';
  return isModern(request) ? problemWithModern(request, result as Fields) : problemWithResult(request, result);
}

function problemWithRequest(method: string, message: Fields, params: Fields | undefined): string | undefined {
  const { inputResponses, requestState, ...rest } = params ?? {};
  const problem = fitsKnown(requests[method]?.request, params ? { ...message, params: rest } : message, method);
  if (problem || !isModern(message)) return problem;
  const meta = rest._meta as Fields;
  return (
    fits(core.ClientCapabilitiesSchema, meta[`${META}clientCapabilities`]) ??
    fits(core.ImplementationSchema, meta[`${META}clientInfo`]) ??
    (requestState === undefined || typeof requestState === 'string' ? undefined : 'requestState is no string') ??
    problemWithResponses(inputResponses as Fields | undefined)
  );
}

/** Each answer to a question of the server must match one of the three result types. */
function problemWithResponses(responses: Fields = {}): string | undefined {
  const kinds = [core.ElicitResultSchema, core.CreateMessageResultSchema, core.ListRootsResultSchema];
  const bad = Object.entries(responses).find(([, response]) => kinds.every((schema) => fits(schema, response)));
  return bad && `inputResponses.${bad[0]} answers nothing that a server may ask`;
}

function problemWithResult({ method }: Fields, result: unknown): string | undefined {
  return fitsKnown(requests[method as string]?.result, result, `the result of ${method}`);
}

function problemWithModern(request: Fields, result: Fields): string | undefined {
  const { resultType, ttlMs, cacheScope, inputRequests, requestState } = result;
  const method = request.method as string;
  const meta = result._meta as Fields | undefined;
  const unsigned = fits(core.ImplementationSchema, meta?.[`${META}serverInfo`]);
  if (unsigned) return `serverInfo: ${unsigned}`;
  if (resultType === 'input_required') {
    if (inputRequests === undefined && typeof requestState !== 'string') return 'neither a question nor a state';
    return Object.values((inputRequests ?? {}) as Record<string, Fields>)
      .map(problemWithQuestion)
      .find(Boolean);
  }
  if (resultType !== 'complete') return `resultType is ${JSON.stringify(resultType)}`;
  const isCached = Number.isInteger(ttlMs) && (cacheScope === 'public' || cacheScope === 'private');
  if (cacheable.includes(method) !== isCached) return 'ttlMs and cacheScope: missing, or out of place';
  return problemWithResult(request, result);
}

/** Questions by URL have the schema of 2025-11-25, which requires one more member. */
function problemWithQuestion(question: Fields): string | undefined {
  const params = question.params as Fields | undefined;
  const isPage = params?.mode === 'url';
  const shown = isPage ? { ...question, params: { ...params, elicitationId: 'none' } } : question;
  if (isPage && 'elicitationId' in params) return 'elicitationId, which 2026-07-28 removed';
  return fitsKnown(requests[question.method as string]?.request, shown, 'a question');
}

function isModern({ params }: Fields): boolean {
  const meta = (params as Fields | undefined)?._meta as Fields | undefined;
  return meta?.[`${META}protocolVersion`] !== undefined;
}

function fitsKnown(schema: Schema | undefined, value: unknown, name: string): string | undefined {
  return schema ? fits(schema, value) : `there is no ${name}`;
}

/** Matches the schema, without members that the schema does not know. */
function fits(schema: Schema, value: unknown): string | undefined {
  const { success, data, error } = schema.safeParse(value);
  if (!success) return error!.message.replaceAll(/\s+/g, ' ');
  const { jsonrpc, id, ...bare } = value as Fields;
  const kept = isDeepStrictEqual(data, value) || isDeepStrictEqual(data, bare);
  return kept ? undefined : `something the schema does not know: it keeps only ${JSON.stringify(data)}`;
}
