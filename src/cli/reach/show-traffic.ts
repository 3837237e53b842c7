// --verbose: what goes over the pipes and what happens to the processes, a line each, on stderr.

import type { FlowEvent } from '../../flow/event.ts';
import type { FlowStore } from '../../flow/store.ts';
import type { Output } from '../output/output.ts';
import { visibleLine } from '../output/visible.ts';

/** Of one frame; the Inspector shows all of it. */
const MOST_CHARACTERS = 2000;

export function showTraffic(flow: FlowStore, out: Output): () => void {
  return flow.subscribe((event) => {
    const line = describeEvent(event);
    if (line) out.say(out.paintError('dim', `${(event.atMs / 1000).toFixed(3)} ${visibleLine(event.server)} ${line}`));
  });
}

function describeEvent(event: FlowEvent): string | undefined {
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

function textOf(bytes: Uint8Array, length: number): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString().trimEnd();
  const shown = visibleLine(text.slice(0, MOST_CHARACTERS));
  return text.length > MOST_CHARACTERS || bytes.length < length ? `${shown}… (${length} bytes)` : shown;
}
