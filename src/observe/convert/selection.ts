// The part of a recording that is converted: its events, and the requests of hosts and clients with their outcomes.

import { decodeText } from '../../base/decode-text.ts';
import { UsageError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { isNestedTooDeeply } from '../../base/to-json.ts';
import { Analysis } from '../analysis/analysis.ts';
import type { MessageDescription } from '../analysis/describe-frame.ts';
import type { Exchange } from '../analysis/exchange.ts';
import { type FlowEvent, type FrameEvent, lengthOfParts } from '../flow/event.ts';
import { DamagedLines } from '../record/damaged-lines.ts';
import { ParsedBatches } from '../record/parsed-batches.ts';
import { readRecordings } from '../record/reader.ts';
import { noServer, unknownServer } from '../record/unusable-recording.ts';

export interface SelectionOptions {
  /** Selects only this server, or this client of a host. */
  server?: string | undefined;
  /** Selects only this number of last events. */
  last?: number | undefined;
}

export interface SelectedEvent {
  readonly event: FlowEvent;
  /** Milliseconds since 1970. */
  readonly dateMs: number;
  /** The messages of a frame. */
  readonly messages: readonly MessageDescription[];
}

/** A request, with its answer if that was recorded. Each read parses them: all messages together can take 25 times the memory of the file. */
export interface SelectedExchange {
  readonly exchange: Exchange;
  readonly request: JsonObject;
  /** The answer. Absent if there was none, or if it was too long to be recorded whole or is nested too deeply. */
  readonly answer: JsonObject | undefined;
  readonly startDateMs: number;
  readonly endDateMs: number | undefined;
}

export interface Selection {
  readonly events: readonly SelectedEvent[];
  readonly exchanges: readonly SelectedExchange[];
  /** Describes the lines that cannot be read. */
  readonly damage: string | undefined;
}

/** A longer recording has to be limited: the whole selection is held in memory. */
const MOST_EVENTS = 200_000;
/** Each run is analysed by itself, which takes about 10 KB. */
const MOST_RUNS = 10_000;
const MOST_BYTES = 512 * 1024 * 1024;
/** Limit of names in an error. */
const MOST_NAMES = 20;

export async function readSelection(file: string, { server, last }: SelectionOptions): Promise<Selection> {
  const runs = new Map<string, Run>();
  const names = new Set<string>();
  let held = 0;
  let bytes = 0;
  const damaged = new DamagedLines(file);
  for await (const item of readRecordings(file)) {
    damaged.see(item);
    if (item.type !== 'event') continue;
    if (names.size < MOST_NAMES) names.add(item.event.server);
    if (server !== undefined && item.event.server !== server) continue;
    let run = runs.get(item.run.run);
    if (!run) {
      run = new Run(item.run.startedAt?.getTime() ?? 0);
      runs.set(item.run.run, run);
      if (runs.size > MOST_RUNS) throw tooLong(file, `${MOST_RUNS} runs`);
    }
    const messages = run.add(item.event);
    bytes += lengthOfParts(item.event);
    held += Math.max(1, messages);
    if (held > MOST_EVENTS || bytes > MOST_BYTES) {
      throw tooLong(file, `${MOST_EVENTS} events and messages or ${MOST_BYTES / 1024 / 1024} MiB`);
    }
  }
  if (held === 0) throw nothingSelected(file, server, [...names], await damaged.describe());
  const all = [...runs.values()].flatMap((run) => run.events);
  const events = last === undefined ? all : all.slice(-last);
  const kept = new Set(events.map(({ event }) => event));
  return {
    events,
    exchanges: [...runs.values()].flatMap((run) => run.exchanges(kept)),
    damage: damaged.count > 0 ? await damaged.describe() : undefined,
  };
}

/** The events of one run have one clock and one sequence. */
class Run {
  readonly events: SelectedEvent[] = [];
  readonly #startedMs: number;
  readonly #analysis = new Analysis();
  readonly #bySeq = new Map<number, FrameEvent>();
  readonly #batches = new ParsedBatches<FrameEvent>();

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  /** Returns the number of messages in the event. */
  add(event: FlowEvent): number {
    this.#analysis.see(event, event.atMs);
    const messages = event.kind === 'frame' ? this.#analysis.describe(event).messages : [];
    this.events.push({ event, dateMs: this.#startedMs + event.atMs, messages });
    if (event.kind === 'frame') this.#bySeq.set(event.seq, event);
    return messages.length;
  }

  exchanges(kept: ReadonlySet<FlowEvent>): SelectedExchange[] {
    const found = new Set<Exchange>();
    for (const { event } of this.events) {
      if (event.kind !== 'frame' || !kept.has(event)) continue;
      for (const exchange of this.#analysis.exchangesOf(event.seq))
        if (exchange.requestSeq === event.seq) found.add(exchange);
    }
    return [...found].map((exchange) => {
      const { startMs, endMs, requestSeq, answerSeq, id } = exchange;
      const message = (seq: number | undefined) =>
        seq === undefined ? undefined : messageOf(this.#bySeq.get(seq), id, this.#batches);
      return {
        exchange,
        get request() {
          return message(requestSeq) ?? {};
        },
        get answer() {
          return message(answerSeq);
        },
        startDateMs: this.#startedMs + startMs,
        endDateMs: endMs === undefined ? undefined : this.#startedMs + endMs,
      };
    });
  }
}

function messageOf(
  frame: FrameEvent | undefined,
  id: string | number,
  batches: ParsedBatches<FrameEvent>,
): JsonObject | undefined {
  if (!frame || frame.cut) return undefined;
  try {
    const parsed: unknown = batches.find(frame) ?? JSON.parse(decodeText(frame.payload));
    if (Array.isArray(parsed)) batches.keep(frame, parsed, frame.payload.length);
    const message = Array.isArray(parsed) ? parsed.find((each) => isObject(each) && each.id === id) : parsed;
    return isObject(message) && !isNestedTooDeeply(message) ? message : undefined;
  } catch {
    return undefined; // a message after other text on its line
  }
}

function nothingSelected(
  file: string,
  server: string | undefined,
  names: readonly string[],
  damage: string | undefined,
): UsageError {
  if (server !== undefined && names.length > 0) return unknownServer(file, server, names);
  return noServer(file, damage);
}

function tooLong(file: string, most: string): UsageError {
  return new UsageError('RECORDING_UNUSABLE', `${file} has more than ${most}`, {
    hint: 'Select a part with --server NAME, or split the file at line ends; each part needs the first line of the file.',
  });
}
