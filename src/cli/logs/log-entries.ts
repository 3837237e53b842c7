// Converts an event of a flow to lines of a log: everything except messages. The host has already removed secrets.

import { describeFrame } from '../../analysis/describe-frame.ts';
import { eventText } from '../../analysis/event-text.ts';
import { decodeText } from '../../base/decode-text.ts';
import type { FlowEvent } from '../../flow/event.ts';

export interface LogEntry {
  kind: 'stderr' | 'stdout' | 'state' | 'process' | 'error' | 'note';
  text: string;
}

export function logEntries(event: FlowEvent): LogEntry[] {
  switch (event.kind) {
    case 'stderr':
      return linesOf('stderr', decodeText(event.payload));
    case 'frame': {
      const noise = event.direction === 'fromServer' ? describeFrame(event).noise : undefined;
      return noise === undefined ? [] : linesOf('stdout', noise);
    }
    case 'spawn':
    case 'exit':
      return [{ kind: 'process', text: eventText(event) }];
    case 'fault':
      return [{ kind: 'error', text: `${eventText(event)} of stdout` }];
    case 'state':
    case 'error':
    case 'note':
      return [{ kind: event.kind, text: eventText(event) }];
    default:
      return [];
  }
}

function linesOf(kind: LogEntry['kind'], text: string): LogEntry[] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  return lines.map((line) => ({ kind, text: line }));
}
