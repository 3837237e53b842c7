// Compares two recordings of a server: its definitions, and its calls by method and parameters with outcome, result and duration.

import { heldBytesOf } from '../../base/count-json-values.ts';
import { UsageError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/to-json.ts';
import { type DefinitionChange, type Definitions, definitionChanges } from '../../mcp/definition-change.ts';
import { type ListName, listMethods, methodsOfMcp } from '../../mcp/methods.ts';
import type { Conversation } from './conversation.ts';
import { type Difference, differencesOf } from './differences.ts';
import { comparable, type MessagePlace, type RecordedExchange, type RecordedOutcome } from './recorded-exchange.ts';
import type { RecordedSession } from './recorded-session.ts';

/**
 * `error`: a JSON-RPC error. `tool-error`: a result with `isError`. `refused`: an HTTP error. `cut`: the request or its answer was too long to be
 * recorded whole, or the answer is nested too deeply to be compared.
 */
export type CallOutcome = 'ok' | 'error' | 'tool-error' | Exclude<RecordedOutcome, 'answered'>;

export interface ComparedCall {
  readonly method: string;
  readonly target: string | undefined;
  readonly params: unknown;
  readonly change: 'same' | 'different' | 'added' | 'removed';
  readonly before?: CallSide;
  readonly after?: CallSide;
  /** Differences between the results or errors, at most 100. */
  readonly differences: readonly Difference[];
}

export interface CallSide {
  readonly outcome: CallOutcome;
  /** Absent without an answer. */
  readonly durationMs?: number;
}

export interface SessionDiff {
  readonly definitions: readonly DefinitionChange[];
  readonly calls: readonly ComparedCall[];
}

const MOST_DIFFERENCES = 100;
/** Limit of the memory of definitions, parameters and differences, which are held until the end. */
const MOST_BYTES = 256 * 1024 * 1024;
/** Limit of the pages that are read of one list. */
const MOST_PAGES = 1000;

/** Reads both recordings to their ends. */
export async function diffSessions(
  before: RecordedSession,
  after: RecordedSession,
  mostBytes = MOST_BYTES,
): Promise<SessionDiff> {
  const held = new Held(mostBytes);
  const definitions = definitionChanges(await definitionsOf(before, held), await definitionsOf(after, held));
  const [old, now] = [callsByKey(await before.read()), callsByKey(await after.read())];
  const calls: ComparedCall[] = [];
  const add = (call: ComparedCall) => {
    held.add(call);
    calls.push(call);
  };
  for (const [key, exchanges] of old) {
    const others = now.get(key) ?? [];
    for (const [index, exchange] of exchanges.entries()) add(await compared(before, exchange, after, others[index]));
  }
  for (const [key, exchanges] of now) {
    for (const exchange of exchanges.slice(old.get(key)?.length ?? 0)) {
      add(await compared(before, undefined, after, exchange));
    }
  }
  return { definitions, calls };
}

/** The memory of what is held until the end. */
class Held {
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** Returns the estimated memory, and throws if there is too much. */
  add(value: unknown): number {
    const bytes = heldBytesOf(value);
    this.#bytes += bytes;
    if (this.#bytes <= this.#mostBytes) return bytes;
    throw new UsageError(
      'RECORDING_UNUSABLE',
      `The comparison would take more than ${this.#mostBytes} bytes of memory`,
      {
        hint: 'Compare parts of the recordings: split the files at line ends; each part needs the first line of its file.',
      },
    );
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** The newest complete listing of each list, with the info, capabilities and instructions of the server. */
export async function definitionsOf(session: RecordedSession, held = new Held()): Promise<Definitions> {
  const { info, capabilities, instructions } = await session.facts();
  const lists: Partial<Record<ListName, readonly unknown[]>> = {};
  for (const [member, { method }] of Object.entries(listMethods) as [ListName, { method: string }][]) {
    const listing = await newestListing(session, method, member, held);
    if (listing) lists[member] = listing;
  }
  return { info, capabilities, instructions, ...lists };
}

async function newestListing(
  session: RecordedSession,
  method: string,
  member: string,
  held: Held,
): Promise<readonly unknown[] | undefined> {
  let newest: unknown[] | undefined;
  let pages = 0;
  let bytes = 0;
  for (const exchange of (await session.read()).exchanges) {
    if (exchange.method !== method || exchange.outcome !== 'answered') continue;
    const params = (await messageOf(session, exchange.request))?.params;
    const result = (await messageOf(session, exchange.answer!))?.result;
    const entries = isObject(result) ? result[member] : undefined;
    if (!Array.isArray(entries)) continue;
    const isFirst = !isObject(params) || params.cursor === undefined;
    if (isFirst) {
      held.remove(bytes); // drops the previous listing
      [newest, pages, bytes] = [[], 0, 0];
    }
    if (!newest || pages++ >= MOST_PAGES) continue;
    bytes += held.add(entries);
    for (const entry of entries) newest.push(entry);
  }
  return newest;
}

/** Lists are compared by their definitions. */
function callsByKey({ exchanges }: Conversation): Map<string, RecordedExchange[]> {
  const byKey = new Map<string, RecordedExchange[]>();
  for (const exchange of exchanges) {
    if (methodsOfMcp.get(exchange.method)?.list) continue;
    const same = byKey.get(exchange.key);
    if (same) same.push(exchange);
    else byKey.set(exchange.key, [exchange]);
  }
  return byKey;
}

async function compared(
  before: RecordedSession,
  old: RecordedExchange | undefined,
  after: RecordedSession,
  now: RecordedExchange | undefined,
): Promise<ComparedCall> {
  const exchange = (old ?? now)!;
  const params = (await messageOf(old ? before : after, exchange.request))?.params;
  const [was, is] = [old && (await sideOf(before, old)), now && (await sideOf(after, now))];
  const differences = was && is ? differencesOf(was.answer, is.answer, MOST_DIFFERENCES) : [];
  const isSame = was?.side.outcome === is?.side.outcome && differences.length === 0;
  return {
    method: exchange.method,
    target: exchange.target,
    params: comparable(isObject(params) ? params : {}),
    change: !was ? 'added' : !is ? 'removed' : isSame ? 'same' : 'different',
    ...(was && { before: was.side }),
    ...(is && { after: is.side }),
    differences,
  };
}

/** The outcome of a recorded request, with its answer without `_meta`. */
export async function sideOf(session: RecordedSession, exchange: RecordedExchange) {
  const { outcome, startMs, endMs } = exchange;
  const durationMs = endMs === undefined ? {} : { durationMs: Math.round((endMs - startMs) * 1000) / 1000 };
  if (outcome !== 'answered') return { side: { outcome, ...durationMs }, answer: undefined };
  const message = await messageOf(session, exchange.answer!);
  if (!message) return { side: { outcome: 'cut' as const, ...durationMs }, answer: undefined };
  const { kind, answer } = comparableAnswer(message);
  return { side: { outcome: kind, ...durationMs }, answer };
}

/** An answer as it is compared. */
export function comparableAnswer({ result, error }: { result?: unknown; error?: unknown }): {
  kind: 'ok' | 'error' | 'tool-error';
  answer: JsonObject;
} {
  if (error !== undefined && error !== null) return { kind: 'error', answer: { error } };
  const { _meta, ...plain } = isObject(result) ? result : {};
  return { kind: isToolError(result) ? 'tool-error' : 'ok', answer: { result: plain } };
}

/** Undefined for a message that was cut, or is nested too deeply to be compared or shown. */
export async function messageOf(
  { file }: RecordedSession,
  place: MessagePlace | undefined,
): Promise<JsonObject | undefined> {
  const message = place && (await file.message(place));
  return isNestedTooDeeply(message) ? undefined : message;
}

function isToolError(result: unknown): boolean {
  return isObject(result) && result.isError === true;
}
