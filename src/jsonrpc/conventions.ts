// What JSON-RPC leaves to the protocols on it: how a request is cancelled and its progress reported, what stands for "no
// result", and which forms of messages are in use. A preset for each protocol; `{ ...lsp, batches: true }` makes another.

import type { Params } from './inbound.ts';
import type { RequestId } from './message.ts';

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
  /** LSP: `value` as it came, with `kind`, or with partial results. */
  value?: unknown;
}

export interface Conventions {
  cancel?: {
    method: string;
    write(id: RequestId, reason: string): Params;
    read(params: Params): { id: unknown; reason?: unknown };
    /** The error code of a cancelled request, where such a request must still be answered. */
    answerCode?: number;
  };
  progress?: {
    method: string;
    /** Adds to the parameters of a request what asks for progress. */
    ask(params: Params | undefined, id: number): Params;
    /** Which request of ours is meant, and how far it is. */
    read(params: Params): { id: unknown; progress: Progress };
  };
  /** A request that is answered at once, whatever runs. */
  ping?: string;
  /** What a handler answers that returns nothing. */
  emptyResult: null | 'object';
  /** The id in the answer to a message whose own id could not be read. */
  unreadableId: null | 'absent';
  /** Whether `params` may be an array. */
  arrayParams: boolean;
  /** Whether several messages may come as one array. In MCP the revision decides. */
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
    ask: (params, id) => ({ ...params, _meta: { ...(params?._meta as Params | undefined), progressToken: id } }),
    read: (params) => ({ id: params.progressToken, progress: params as unknown as Progress }),
  },
  ping: 'ping',
  emptyResult: 'object',
  unreadableId: 'absent',
  arrayParams: false,
  batches: false,
};

/** The Language Server Protocol. Its messages go in frames of `contentLength()`. */
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

/** JSON-RPC 2.0 and nothing else: no way to cancel, no progress. */
export const plainJsonRpc: Conventions = {
  emptyResult: null,
  unreadableId: null,
  arrayParams: true,
  batches: true,
};

/** The other end makes tokens too, and may use numbers for them. */
function requestOfToken(token: unknown): number | undefined {
  const [, id] = typeof token === 'string' ? (/^request-(\d+)$/.exec(token) ?? []) : [];
  return id === undefined ? undefined : Number(id);
}

function workDone(value: unknown): Progress {
  const { percentage, message, title } = (value ?? {}) as { percentage?: number; message?: string; title?: string };
  return { progress: percentage ?? 0, total: 100, message: message ?? title, value };
}
