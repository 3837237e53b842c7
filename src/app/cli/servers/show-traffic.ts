// --verbose: prints messages and process events to stderr, one line each.

import { decodeText } from '../../../base/decode-text.ts';
import { maskForms } from '../../../base/secrets/mask-values.ts';
import { type Redact, redactor } from '../../../base/secrets/redact.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { formsToMask } from '../../../config/secrets-of-server.ts';
import type { ServerConfig } from '../../../config/server-config.ts';
import { eventText } from '../../../observe/analysis/event-text.ts';
import type { FlowEvent } from '../../../observe/flow/event.ts';
import type { FlowStore } from '../../../observe/flow/store.ts';
import type { Output } from '../output/output.ts';

/** Limit per frame. The Inspector shows the whole frame. */
const MOST_CHARACTERS = 2000;

export function showTraffic(flow: FlowStore, out: Output, redact: Redact): () => void {
  return flow.subscribe((event) => {
    for (const line of describeEvent(event, redact)) {
      out.say(out.paintError('dim', `${(event.atMs / 1000).toFixed(3)} ${visibleLine(event.server)} ${line}`));
    }
  });
}

/** Returns one line for an event, and one for each line of stderr. */
function describeEvent(event: FlowEvent, redact: Redact): string[] {
  const textOf = (bytes: Uint8Array, length: number) => shorten(redact(decode(bytes)), bytes.length, length);
  switch (event.kind) {
    case 'frame':
      return [
        `${event.direction === 'toServer' || event.direction === 'fromClient' ? '→' : '←'} ${textOf(event.payload, event.length)}`,
      ];
    case 'fault':
      return [`← ${eventText(event)}: ${textOf(event.prefix, event.length)}`];
    case 'stderr':
      return stderrLines(event.payload, redact).map((line) => `stderr ${line}`);
    case 'spawn':
    case 'exit':
    case 'state':
    case 'error':
    case 'client':
      return [visibleLine(eventText(event))];
    case 'remote':
    case 'http':
      return [visibleLine(redact(eventText(event)))];
    default:
      return [];
  }
}

/** Redacts the text as a whole, because a secret may have several lines. */
function stderrLines(bytes: Uint8Array, redact: Redact): string[] {
  const lines = redact(decode(bytes)).split(/\r?\n/);
  return lines.map((line) => shorten(line, line.length, line.length));
}

function decode(bytes: Uint8Array): string {
  return decodeText(bytes).trimEnd();
}

function shorten(text: string, keptBytes: number, length: number): string {
  const shown = visibleLine(text.slice(0, MOST_CHARACTERS));
  return text.length > MOST_CHARACTERS || keptBytes < length ? `${shown}… (${length} bytes)` : shown;
}

/**
 * Redacts the secrets of all servers in all traffic: a server may repeat a secret of another one. A secret that was removed from the config
 * stays hidden: earlier traffic is still stored, and the secret may still be valid.
 */
export class ServerSecrets {
  readonly #maskOf = new Map<string, string>();
  #redact: Redact = redactor();

  constructor(servers: readonly ServerConfig[]) {
    this.learn(servers);
  }

  /** Must be called before these servers start. */
  learn(servers: readonly ServerConfig[]): void {
    for (const server of servers) {
      for (const [form, mask] of formsToMask(server)) this.#maskOf.set(form, mask);
    }
    this.#redact = redactor({ mask: maskForms(this.#maskOf) });
  }

  readonly redact: Redact = (text) => this.#redact(text);
}
