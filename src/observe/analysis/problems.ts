// Detects and explains problems of servers and clients. Each problem is listed once per server, with its first event and a count.

import { diagnoseLine } from '../../wire/diagnosis/diagnose.ts';
import { type FaultFact, type FlowEvent, type FrameEvent, isOfClient } from '../flow/event.ts';
import { describeFrame, type FrameDescription } from './describe-frame.ts';
import { keepNewest } from './exchange.ts';
import { type HttpProblemKind, httpDetail, httpProblems, httpWords, remoteProblems } from './http-problems.ts';

type Kind =
  | ('stdout-pollution' | 'slow-start' | 'crash-loop' | 'era-fallback' | 'schema-violation' | 'oversized-frame')
  | ('truncated-frame' | 'exit-with-error' | 'unanswered' | 'refused' | 'output-violation' | HttpProblemKind);

export interface Problem {
  kind: Kind;
  server: string;
  seq: number | undefined;
  title: string;
  explanation: string;
  count: number;
}

const SLOW_START_MS = 5_000;
/** This many failed exits within LOOP_MS are a crash loop, even if another program restarts the server. */
const LOOP_EXITS = 4;
const LOOP_MS = 30_000;
/** Limit for problems, servers and processes: a peer may invent any number of server names. */
const MOST_KEPT = 1_000;

/** Title and explanation of each kind of problem. */
// biome-ignore format: one row for each kind
const words: Record<Kind, readonly [title: string, explanation: string]> = {
  'stdout-pollution': ['Prints to stdout', 'The server printed non-protocol text to stdout. Strict hosts close the connection when they read it. Print logs to stderr instead: console.error, print(…, file=sys.stderr), System.err.'],
  'slow-start': ['Starts slowly', 'More than 5 s passed between the start of the process and its first message. Hosts with a short startup timeout give up earlier. npx, docker and a JVM can take that long at the first start.'],
  'crash-loop': ['Crashes repeatedly', 'The server exited at least 4 times within 30 s, or its host stopped restarting it. Its last output on stderr shows the reason. Fix it, then start the server again.'],
  'era-fallback': ['Uses an older revision', 'The server does not support server/discover (2026-07-28), so initialize was sent instead. This is harmless and costs one request at the first start.'],
  'schema-violation': ['Violates the protocol schema', 'A message does not match the schema of its revision. The event shows the details.'],
  'output-violation': ['Result violates the output schema', 'Strict clients refuse such a result. Correct the structured content, or the outputSchema of the tool.'],
  'oversized-frame': ['Message over the size limit', 'A message was longer than maxFrameBytes and was skipped. Its request failed; the connection continued. Raise the limit or send less at a time.'],
  'truncated-frame': ['Truncated message', 'The stream ended in the middle of a message: the process ended while it wrote, or did not write the newline.'],
  'exit-with-error': ['Exited with an error', 'The process exited with a code other than 0, or was ended by a signal. Its stderr shows its last output.'],
  unanswered: ['Unanswered request', 'The process or the connection ended before the answer. It is unknown whether the request took effect.'],
  refused: ['Request refused', 'A request from this client was refused with an HTTP status of 400 or above. It did not reach a server.'],
  ...httpWords,
};

interface WatchedServer {
  /** `server/discover` was sent, and the server has not been ready since. */
  probed: boolean;
  badExitsMs: number[];
}

/** Several processes of a server may run at once. */
interface WatchedProcess {
  /** The time of the spawn. Undefined after the first message. */
  silentSinceMs: number | undefined;
  /** A stop was requested or a signal was sent, so the exit is not a problem. */
  stopping: boolean;
  /** The number of the HTTP request with `server/discover`. An older server refuses it. */
  probe: number | undefined;
}

export class Problems {
  readonly #describe: (frame: FrameEvent) => FrameDescription;
  readonly #found = new Map<string, Problem>();
  readonly #servers = new Map<string, WatchedServer>();
  readonly #processes = new Map<string, WatchedProcess>();

  constructor(describe: (frame: FrameEvent) => FrameDescription = describeFrame) {
    this.#describe = describe;
  }

  list(): Problem[] {
    return [...this.#found.values()];
  }

  /** Returns whether the list changed. */
  see(event: FlowEvent): boolean {
    const kinds = isOfClient(event) ? this.#clientKinds(event) : this.#kindsOf(event);
    for (const kind of kinds) this.note(kind, event.server, event.seq, () => this.#detailOf(kind, event));
    return kinds.length > 0;
  }

  note(kind: Kind, server: string, seq: number | undefined, detail?: string | (() => string | undefined)): void {
    const key = `${kind} ${server}`;
    const known = this.#found.get(key);
    if (known) {
      known.count++;
      return;
    }
    if (this.#found.size >= MOST_KEPT) return;
    const [title, explanation] = words[kind];
    const added = typeof detail === 'function' ? detail() : detail;
    const told = added ? `${explanation} ${added}` : explanation;
    this.#found.set(key, { kind, server, seq, title, explanation: told, count: 1 });
  }

  #kindsOf(event: FlowEvent): Kind[] {
    const server = known(this.#servers, event.server, () => ({ probed: false, badExitsMs: [] }));
    const unseen = () => ({ silentSinceMs: undefined, stopping: false, probe: undefined });
    const process = known(this.#processes, `${event.life} ${event.server}`, unseen);
    switch (event.kind) {
      case 'spawn':
        process.silentSinceMs = event.atMs;
        process.stopping = false;
        return [];
      case 'frame':
        return event.direction === 'toServer'
          ? sentKinds(this.#describe(event), server, event.http?.exchange, process)
          : receivedKinds(this.#describe(event), event, process);
      case 'http': {
        const isRefusedProbe = event.exchange === process.probe && (event.status ?? 0) >= 400 && event.status !== 401;
        return isRefusedProbe ? [] : httpProblems(event);
      }
      case 'remote':
        return remoteProblems(event);
      case 'fault':
        return faultKinds(event.code);
      case 'signal':
        process.stopping = true;
        return [];
      case 'exit':
        return event.exitCode === 0 || process.stopping ? [] : badExitKinds(event.atMs, server);
      case 'state':
        process.stopping = event.to === 'stopping';
        if (event.to === 'ready') server.probed = false;
        return event.to === 'failed' && event.reason?.includes('times within') ? ['crash-loop'] : [];
      default:
        return [];
    }
  }

  #clientKinds(event: FlowEvent): Kind[] {
    if (event.kind === 'fault') return faultKinds(event.code);
    if (event.kind !== 'frame') return [];
    if (isRefusal(event)) return ['refused'];
    return event.direction === 'fromClient' && this.#describe(event).kind === 'invalid' ? ['schema-violation'] : [];
  }

  /** For stray output: the mistake that its first line proves. For a refusal: its message. */
  #detailOf(kind: Kind, event: FlowEvent): string | undefined {
    if (kind === 'refused' && event.kind === 'frame') {
      return `HTTP ${event.http?.status}: ${this.#describe(event).messages[0]?.error?.message ?? ''}`;
    }
    if (event.kind === 'http') return httpDetail(event);
    if (event.kind === 'remote') return event.reason;
    if (kind !== 'stdout-pollution' || event.kind !== 'frame') return undefined;
    const found = diagnoseLine(this.#describe(event).noise ?? '');
    return found && `This server ${found.problem}. ${found.fix}`;
  }
}

function known<T>(all: Map<string, T>, key: string, make: () => T): T {
  const found = all.get(key);
  if (found) return found;
  const made = make();
  all.set(key, made);
  keepNewest(all, MOST_KEPT);
  return made;
}

function faultKinds(code: FaultFact['code']): Kind[] {
  return [code === 'FRAME_TOO_LONG' ? 'oversized-frame' : 'truncated-frame'];
}

/** A client was answered with an HTTP status of 400 or above. */
export function isRefusal(event: FlowEvent): boolean {
  return event.kind === 'frame' && (event.http?.status ?? 0) >= 400;
}

function badExitKinds(atMs: number, watched: WatchedServer): Kind[] {
  watched.badExitsMs = [...watched.badExitsMs.filter((each) => each >= atMs - LOOP_MS), atMs];
  if (watched.badExitsMs.length < LOOP_EXITS) return ['exit-with-error'];
  watched.badExitsMs = [];
  return ['exit-with-error', 'crash-loop'];
}

/**
 * `initialize` after `server/discover` means that the server does not support `server/discover`: it sent an error, did
 * not answer or exited.
 */
function sentKinds(
  { messages }: FrameDescription,
  watched: WatchedServer,
  exchange: number | undefined,
  process: WatchedProcess,
): Kind[] {
  const method = messages[0]?.method;
  if (method === 'server/discover') {
    watched.probed = true;
    process.probe = exchange;
  }
  if (method !== 'initialize' || !watched.probed) return [];
  watched.probed = false;
  return ['era-fallback'];
}

function receivedKinds({ kind, noise }: FrameDescription, { atMs, http }: FrameEvent, watched: WatchedProcess): Kind[] {
  // The body of a refusal may be any text.
  if (kind === 'noise' && http) return (http.status ?? 0) < 400 ? ['schema-violation'] : [];
  if (kind === 'noise') return ['stdout-pollution'];
  const kinds: Kind[] = noise === undefined ? [] : ['stdout-pollution'];
  if (kind === 'invalid') kinds.push('schema-violation');
  const { silentSinceMs } = watched;
  watched.silentSinceMs = undefined;
  if (silentSinceMs !== undefined && atMs - silentSinceMs > SLOW_START_MS) kinds.push('slow-start');
  return kinds;
}
