// Reads all pages of a list, one after another, within limits.

import { PeerError, RpcCode, RpcError } from '../../base/errors.ts';
import { jsonSize } from '../../wire/jsonrpc/json-size.ts';
import type { Result } from '../service.ts';
import type { CallOptions } from './options.ts';
import type { ServerFacts } from './session/session.ts';
import { asResult, readCursor, readEntries } from './tolerated-results.ts';
import type { Warn } from './warnings.ts';

/** The server whose lists are read. */
export interface ListSource {
  server: Pick<ServerFacts, 'era' | 'capabilities'>;
  request(method: string, params: Record<string, unknown>, options?: CallOptions): unknown;
}

interface ListKeys {
  method: string;
  member: string;
  nameKey: string;
}

export interface PageLimits {
  maxPages: number;
  maxItems: number;
  /** The approximate limit for all pages except the last together. */
  maxListBytes: number;
}

export interface AllPages<T> {
  items: T[];
  /** The results as the server sent them, by cursor. */
  pages: ReadonlyMap<string | undefined, Result>;
  /** The smallest value of all pages; undefined if a page has none. */
  ttlMs: number | undefined;
}

export async function readAllPages<T>(
  source: ListSource,
  list: ListKeys,
  limits: PageLimits,
  warn: Warn,
  options?: CallOptions,
): Promise<AllPages<T>> {
  // A server may refuse its own cursor after the list has changed: then the list is read once more.
  const pages = await readPages<T>(source, list, limits, warn, options, isInvalidParams);
  return pages ?? (await readPages<T>(source, list, limits, warn, options, () => false))!;
}

/** Returns undefined if a page after the first was refused and the list should be read again. */
async function readPages<T>(
  source: ListSource,
  { method, member, nameKey }: ListKeys,
  { maxPages, maxItems, maxListBytes }: PageLimits,
  warn: Warn,
  options: CallOptions | undefined,
  isStale: (error: unknown) => boolean,
): Promise<AllPages<T> | undefined> {
  const items: T[] = [];
  const pages = new Map<string | undefined, Result>();
  let ttlMs: number | undefined = Number.POSITIVE_INFINITY;
  let cursor: string | undefined;
  let bytes = 0;
  for (let page = 1; page <= maxPages; page++) {
    let answer: unknown;
    try {
      answer = await source.request(method, cursor === undefined ? {} : { cursor }, options);
    } catch (error) {
      if (page > 1 && isStale(error)) return undefined;
      throw page > 1 && isInvalidParams(error) ? ownCursorRefused(error, method, page) : error;
    }
    const result = asResult(answer, method);
    pages.set(cursor, result);
    for (const entry of readEntries<T>(result, member, nameKey, warn)) items.push(entry);
    ttlMs = shorter(ttlMs, result.ttlMs);
    if (items.length > maxItems) throw tooLong(method, `more than ${maxItems} entries`, 'maxItems');
    cursor = readCursor(result, warn);
    if (cursor === undefined) return { items, pages, ttlMs };
    if (pages.has(cursor)) {
      warn('cursor-repeated', `The server's pages of ${method} repeat; the list ends at the first repetition`);
      return { items, pages, ttlMs };
    }
    // The frame limit bounds each page. A page is measured only if another follows.
    bytes += jsonSize(result, maxListBytes);
    if (bytes > maxListBytes) throw tooLong(method, `more than ${maxListBytes} bytes`, 'maxListBytes');
  }
  throw tooLong(method, `more than ${maxPages} pages`, 'maxPages');
}

function shorter(one: number | undefined, other: unknown): number | undefined {
  return one === undefined || typeof other !== 'number' ? undefined : Math.min(one, Math.max(0, other));
}

function isInvalidParams(error: unknown): error is RpcError {
  return error instanceof RpcError && error.rpcCode === RpcCode.invalidParams;
}

function ownCursorRefused(error: RpcError, method: string, page: number): RpcError {
  const { rpcCode, message, data, evidence, ran } = error;
  const what = `The server refused its own cursor for page ${page} of ${method}: ${message}`;
  const refused = new RpcError(rpcCode, what, data, {
    hint: 'Fix the server: it must accept each nextCursor that it returns, and omit it on the last page.',
    ...(evidence && { evidence }),
    cause: error,
  });
  refused.ran = ran;
  return refused;
}

function tooLong(method: string, what: string, option: string): PeerError {
  return new PeerError('LIST_TOO_LONG', `The list of ${method} has ${what}`, {
    hint: `Raise ${option} if the list is correct; otherwise its pages never end.`,
  });
}
