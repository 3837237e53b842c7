// --verbose: what goes over the pipes and what happens to the processes, a line each, on stderr.

import { decodeText } from '../../base/decode-text.ts';
import type { FlowEvent } from '../../flow/event.ts';
import type { FlowStore } from '../../flow/store.ts';
import type { Redact } from '../../secrets/redact.ts';
import type { Output } from '../output/output.ts';
import { visibleLine } from '../output/visible.ts';

/** Of one frame; the Inspector shows all of it. */
const MOST_CHARACTERS = 2000;

export function showTraffic(flow: FlowStore, out: Output, redact: Redact): () => void {
  return flow.subscribe((event) => {
    const line = describeEvent(event, redact);
    if (line) out.say(out.paintError('dim', `${(event.atMs / 1000).toFixed(3)} ${visibleLine(event.server)} ${line}`));
  });
}

function describeEvent(event: FlowEvent, redact: Redact): string | undefined {
  const textOf = (bytes: Uint8Array, length: number) => shorten(redact(decode(bytes)), bytes.length, length);
  switch (event.kind) {
    case 'frame':
      return `${event.direction === 'toServer' ? '→' : '←'} ${textOf(event.payload, event.length)}`;
    case 'fault':
      return `← ${event.code} at byte ${event.offset}: ${textOf(event.prefix, event.length)}`;
    case 'stderr':
      return `stderr ${textOf(event.payload, event.length)}`;
    case 'spawn':
      return `started as process ${event.pid}: ${visibleLine(event.command)}`;
    case 'exit':
      return event.signal ? `ended by ${event.signal}` : `ended with exit code ${event.exitCode}`;
    case 'state':
      return `is ${event.to}${event.reason ? `: ${visibleLine(event.reason)}` : ''}`;
    case 'error':
      return `${event.code}: ${visibleLine(event.message)}`;
    default:
      return undefined;
  }
}

function decode(bytes: Uint8Array): string {
  return decodeText(bytes).trimEnd();
}

function shorten(text: string, keptBytes: number, length: number): string {
  const shown = visibleLine(text.slice(0, MOST_CHARACTERS));
  return text.length > MOST_CHARACTERS || keptBytes < length ? `${shown}… (${length} bytes)` : shown;
}
