// Progress of a request: what a report holds, and the token by which it is asked for.

import type { RequestId } from './message.ts';

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export function withProgressToken(params: Record<string, unknown> | undefined, id: RequestId): Record<string, unknown> {
  const meta = params?._meta as Record<string, unknown> | undefined;
  return { ...params, _meta: { ...meta, progressToken: id } };
}
