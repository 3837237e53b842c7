// The parts of a protocol that JSON-RPC leaves open: how a request is cancelled, how progress is reported, how an empty
// result is written and which message forms are allowed. There is a preset for each protocol; `{ ...lsp, batches: true
// }` derives another.

import { metaOf } from '../../base/json-object.ts';
import type { Params } from './inbound.ts';
import type { RequestId } from './message.ts';

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
  /** LSP: the `value` of the notification as received, which has a `kind` or partial results. */
  value?: unknown;
}

export interface Conventions {
  cancel?: {
    method: string;
    write(id: RequestId, reason: string): Params;
    read(params: Params): { id: unknown; reason?: unknown };
    /** The error code for a cancelled request, if such a request must still be answered. */
    answerCode?: number;
  };
  progress?: {
    method: string;
    /** Adds the member that requests progress to the parameters. */
    ask(params: Params | undefined, id: number): Params;
    /** The id of our request, and its progress. */
    read(params: Params): { id: unknown; progress: Progress };
  };
  /** The method that is always answered at once. */
  ping?: string;
  /** The result that is sent if a handler returns nothing. */
  emptyResult: null | 'object';
  /** The id in the answer to a message whose id could not be read. */
  unreadableId: null | 'absent';
  /** Whether `params` may be an array. */
  arrayParams: boolean;
  /** Whether several messages may arrive as one array. In MCP the revision decides. */
  batches: boolean;
}

export const mcp: Conventions = {
  cancel: {
    method: 'notifications/cancelled',
    write: (requestId, reason) => ({ requestId, reason }),
    read: ({ requestId, reason }) => ({ id: requestId, reason }),
  },
  progress: {
    method: 'notifications/progress',
    ask: (params, id) => ({ ...params, _meta: { ...metaOf(params), progressToken: id } }),
    read: (params) => ({ id: params.progressToken, progress: params as unknown as Progress }),
  },
  ping: 'ping',
  emptyResult: 'object',
  unreadableId: 'absent',
  arrayParams: false,
  batches: false,
};

/** The Language Server Protocol. Its messages are framed by `contentLength()`. */
export const lsp: Conventions = {
  cancel: {
    method: '$/cancelRequest',
    write: (id) => ({ id }),
    read: ({ id }) => ({ id }),
    answerCode: -32800,
  },
  progress: {
    method: '$/progress',
    ask: (params, id) => ({ ...params, workDoneToken: `request-${id}` }),
    read: ({ token, value }) => ({ id: requestOfToken(token), progress: workDone(value) }),
  },
  emptyResult: null,
  unreadableId: null,
  arrayParams: true,
  batches: false,
};

/** JSON-RPC 2.0 alone, without cancellation and progress. */
export const plainJsonRpc: Conventions = {
  emptyResult: null,
  unreadableId: null,
  arrayParams: true,
  batches: true,
};

/** Returns undefined for tokens of the other end, which may be numbers. */
function requestOfToken(token: unknown): number | undefined {
  const [, id] = typeof token === 'string' ? (/^request-(\d+)$/.exec(token) ?? []) : [];
  return id === undefined ? undefined : Number(id);
}

function workDone(value: unknown): Progress {
  const { percentage, message, title } = (value ?? {}) as { percentage?: number; message?: string; title?: string };
  return { progress: percentage ?? 0, total: 100, message: message ?? title, value };
}
