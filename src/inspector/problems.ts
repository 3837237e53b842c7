// What goes wrong, explained in words where it shows. Each problem is told once for a server and counted after that.

import { describeFrame } from '../flow/describe-frame.ts';
import type { FlowEvent } from '../flow/event.ts';
import type { Problem } from './api.ts';

const SLOW_START_MS = 5_000;

type Kind = Problem['kind'];

const words: Record<Kind, { title: string; explanation: string }> = {
  'stdout-pollution': {
    title: 'Prints to stdout',
    explanation:
      'Text that is no message came on stdout. Strict hosts close the connection for it. Print logs to stderr instead: console.error, print(…, file=sys.stderr), System.err.',
  },
  'slow-start': {
    title: 'Starts slowly',
    explanation:
      'More than five seconds passed between the start of the process and its first answer. Hosts with a short patience give up before. npx, docker and a JVM take that long the first time.',
  },
  'crash-loop': {
    title: 'Falls again and again',
    explanation:
      'The server ended several times right after it was started, and is not started any more. Its last words on stderr say why; repair it, then start it again.',
  },
  'era-fallback': {
    title: 'Speaks an older revision',
    explanation:
      'The server did not understand server/discover (2026-07-28) and was asked with initialize instead. That is fine, and costs one question at the first start.',
  },
  'schema-violation': {
    title: 'Breaks the shape of the protocol',
    explanation: 'A message is not as its revision prescribes. What is wrong stands at the event.',
  },
  'oversized-frame': {
    title: 'A message over the limit',
    explanation:
      'A message was longer than maxFrameBytes and was skipped; its request failed, the connection went on. Raise the limit or send less at a time.',
  },
  'truncated-frame': {
    title: 'A message was cut off',
    explanation: 'The stream ended in the middle of a message: the process died while it wrote, or forgot the newline.',
  },
  'exit-with-error': {
    title: 'Ended with an error',
    explanation: 'The process ended with an exit code other than 0, or by a signal. Its last words are on stderr.',
  },
  unanswered: {
    title: 'A request was never answered',
    explanation: 'The process ended before it answered. Whether the request took effect cannot be known from here.',
  },
};

export class Problems {
  readonly #found = new Map<string, Problem>();
  readonly #starting = new Map<string, number>();
  readonly #probes = new Map<string, string | number>();

  list(): Problem[] {
    return [...this.#found.values()];
  }

  /** Says whether there is something new. */
  see(event: FlowEvent): boolean {
    const before = this.#found.size;
    const kind = this.#kindOf(event);
    if (kind) this.note(kind, event.server, event.seq);
    return this.#found.size > before;
  }

  note(kind: Kind, server: string, seq: number | undefined, detail?: string): void {
    const key = `${kind} ${server}`;
    const known = this.#found.get(key);
    if (known) {
      known.count++;
      return;
    }
    const { title, explanation } = words[kind];
    this.#found.set(key, {
      kind,
      server,
      seq,
      title,
      explanation: detail ? `${explanation} ${detail}` : explanation,
      count: 1,
    });
  }

  #kindOf(event: FlowEvent): Kind | undefined {
    switch (event.kind) {
      case 'spawn':
        this.#starting.set(event.server, event.atMs);
        return undefined;
      case 'frame':
        return this.#kindOfFrame(event);
      case 'fault':
        return event.code === 'FRAME_TOO_LONG' ? 'oversized-frame' : 'truncated-frame';
      case 'exit':
        return event.exitCode === 0 ? undefined : 'exit-with-error';
      case 'state':
        return event.to === 'failed' && event.reason?.includes('times within') ? 'crash-loop' : undefined;
      default:
        return undefined;
    }
  }

  #kindOfFrame(event: FlowEvent & { kind: 'frame' }): Kind | undefined {
    const { kind, messages } = describeFrame(event);
    const [message] = messages;
    if (event.direction === 'toServer') {
      if (message?.method === 'server/discover') this.#probes.set(event.server, message.id!);
      return undefined;
    }
    if (kind === 'noise') return 'stdout-pollution';
    if (kind === 'invalid') return 'schema-violation';
    const startedMs = this.#starting.get(event.server);
    this.#starting.delete(event.server);
    if (startedMs !== undefined && event.atMs - startedMs > SLOW_START_MS) return 'slow-start';
    if (message?.error && message.id !== undefined && this.#probes.get(event.server) === message.id) {
      this.#probes.delete(event.server);
      return 'era-fallback';
    }
    return undefined;
  }
}
