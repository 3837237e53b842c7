// One event of a flow as the lines of a log: everything but the messages themselves. Secrets were taken out by the host.

import { describeFrame } from '../../analysis/describe-frame.ts';
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
    case 'fault':
      return [{ kind: 'error', text: `${event.code} at byte ${event.offset} of stdout` }];
    case 'state':
      return [{ kind: 'state', text: event.reason ? `${event.to} (${event.reason})` : event.to }];
    case 'spawn':
      return [{ kind: 'process', text: `started as process ${event.pid}: ${event.command}` }];
    case 'exit':
      return [
        { kind: 'process', text: event.signal ? `ended by ${event.signal}` : `ended with exit code ${event.exitCode}` },
      ];
    case 'error':
      return [{ kind: 'error', text: `${event.code}: ${event.message}` }];
    case 'note':
      return [{ kind: 'note', text: event.text }];
    default:
      return [];
  }
}

function linesOf(kind: LogEntry['kind'], text: string): LogEntry[] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  return lines.map((line) => ({ kind, text: line }));
}
