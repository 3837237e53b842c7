// A recording as a sequence diagram in Markdown, for issues and documentation.

import { decodeText } from '../../base/decode-text.ts';
import type { MessageDescription } from '../analysis/describe-frame.ts';
import { eventText } from '../analysis/event-text.ts';
import type { FlowEvent } from '../flow/event.ts';
import type { SelectedEvent, Selection } from './selection.ts';

const LONGEST_LABEL = 100;

export function asMermaid({ events }: Selection): string {
  const names = new Map<string, string>();
  const lines: string[] = [];
  /** Names of requests, by wire, direction of the request and id. */
  const asked = new Map<string, string>();
  for (const selected of events) lines.push(...linesOf(selected, names, asked));
  const participants = [...names].map(([name, id]) => `  participant ${id} as ${label(name)}`);
  return ['```mermaid', 'sequenceDiagram', '  participant H as host', ...participants, ...lines, '```', ''].join('\n');
}

function linesOf({ event, messages }: SelectedEvent, names: Map<string, string>, asked: Map<string, string>): string[] {
  const id = names.get(event.server) ?? `P${names.size + 1}`;
  names.set(event.server, id);
  if (event.kind === 'frame') {
    const [from, to] = event.direction === 'toServer' || event.direction === 'toClient' ? ['H', id] : [id, 'H'];
    if (messages.length === 0)
      return [`  Note over ${id}: ${label(`stdout: ${decodeText(event.payload.subarray(0, 400))}`)}`];
    return messages.map((message) => `  ${from}${arrowOf(message)}${to}: ${label(textOf(message, event, asked))}`);
  }
  if (event.kind === 'stderr')
    return [`  Note over ${id}: ${label(`stderr: ${decodeText(event.payload.subarray(0, 400))}`)}`];
  if (event.kind === 'spawn' || event.kind === 'exit' || event.kind === 'error') {
    return [`  Note over ${id}: ${label(eventText(event))}`];
  }
  return [];
}

function arrowOf({ kind, isResponse }: MessageDescription): string {
  if (kind === 'notification') return '-)';
  return kind === 'response' || isResponse ? '-->>' : '->>';
}

function textOf(message: MessageDescription, event: FlowEvent & { kind: 'frame' }, asked: Map<string, string>): string {
  const { kind, method, tool, id, error, toolError, problem } = message;
  const wire = `${event.server} ${event.life} ${JSON.stringify(id)}`;
  if (kind === 'request') {
    const name = [method, tool].filter(Boolean).join(' ');
    asked.set(`${wire} ${event.direction}`, name);
    return `${name} #${id}`;
  }
  if (kind === 'notification') return method ?? kind;
  if (kind === 'invalid') return problem ?? 'invalid message';
  const name = asked.get(`${wire} ${opposite[event.direction]}`) ?? 'answer';
  const outcome = error ? `error ${error.code} ${error.message}` : toolError ? 'tool error' : 'result';
  return `${outcome} of ${name} #${id}`;
}

const opposite = {
  toServer: 'fromServer',
  fromServer: 'toServer',
  toClient: 'fromClient',
  fromClient: 'toClient',
} as const;

/** Mermaid ends a statement at `;` and reads `#…;` as a character. Backticks could end the code block. */
function label(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const short = line.length > LONGEST_LABEL ? `${line.slice(0, LONGEST_LABEL)}…` : line;
  return short.replace(/[^\p{L}\p{N} .,!?/_()'"=+*@$…-]/gu, (character) => `#${character.codePointAt(0)};`) || ' ';
}
