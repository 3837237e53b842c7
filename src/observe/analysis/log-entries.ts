// The log entries of events that are not messages: stderr, stray output, starts, exits, states, errors and clients.

import { decodeText } from '../../base/decode-text.ts';
import { ownInfo } from '../../mcp/own-info.ts';
import { type ClientFact, type FlowEvent, isOfClient } from '../flow/event.ts';
import { describeFrame, type FrameDescription } from './describe-frame.ts';
import { eventText } from './event-text.ts';
import { isHttpFailure } from './http-failure.ts';

export interface LogEntry {
  kind: 'stderr' | 'stdout' | 'state' | 'process' | 'error' | 'note' | 'client' | 'remote' | 'http';
  text: string;
}

/** Messages have no log entries. The texts are not redacted. */
export function logEntries(
  event: FlowEvent,
  describe: (frame: FlowEvent & { kind: 'frame' }) => FrameDescription = describeFrame,
): LogEntry[] {
  switch (event.kind) {
    case 'stderr':
      return linesOf('stderr', decodeText(event.payload));
    case 'frame': {
      const noise = event.direction === 'fromServer' ? describe(event).noise : undefined;
      return noise === undefined ? [] : linesOf(event.http ? 'http' : 'stdout', noise);
    }
    case 'spawn':
    case 'exit':
      return [{ kind: 'process', text: eventText(event) }];
    case 'fault': {
      const what = isOfClient(event) ? 'a message' : 'stdout';
      return [{ kind: 'error', text: `${eventText(event)} of ${what}` }];
    }
    case 'client':
      return isWorthALine(event) ? [{ kind: 'client', text: eventText(event) }] : [];
    case 'remote':
      // Without a reason, the state changes of the server already show when it connects and closes.
      return event.state === 'known' || event.reason ? [{ kind: 'remote', text: eventText(event) }] : [];
    case 'http':
      return isHttpFailure(event) ? [{ kind: 'http', text: eventText(event) }] : [];
    case 'state':
    case 'error':
    case 'note':
      return [{ kind: event.kind, text: eventText(event) }];
    default:
      return [];
  }
}

/**
 * A client is logged when its first request arrives, because the request has the name of the client. Commands of
 * Standpipe are left out, because they connect often.
 */
function isWorthALine({ name }: ClientFact): boolean {
  return name !== undefined && name !== ownInfo.name;
}

function linesOf(kind: LogEntry['kind'], text: string): LogEntry[] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  return lines.map((line) => ({ kind, text: line }));
}
