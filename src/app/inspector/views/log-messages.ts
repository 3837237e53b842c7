// The log messages of servers (`notifications/message`), newest last.

import { decodeText } from '../../../base/decode-text.ts';
import { isObject } from '../../../base/json-object.ts';
import { isNestedTooDeeply } from '../../../base/to-json.ts';
import { logLevels } from '../../../mcp/meta.ts';
import type { LogLevel } from '../../../mcp/types.ts';
import type { LogPage } from '../api.ts';
import type { Redaction } from '../redaction.ts';
import type { InspectorView } from './view.ts';

interface LogQuery {
  server: string | undefined;
  /** The least severe level. */
  level: LogLevel | undefined;
  /** Text to find, regardless of case. */
  search: string | undefined;
}

const METHOD = 'notifications/message';
const MOST_MESSAGES = 2_000;
const LONGEST_DATA = 4_000;
const BATCH_EVENTS = 5_000;

/** The newest messages that match. The redacted text is searched, so that a search reveals nothing about hidden secrets. */
export async function logMessages(
  view: InspectorView,
  { server, level, search }: LogQuery,
  { text: redact }: Redaction,
): Promise<LogPage> {
  await view.caughtUp();
  const { flow } = view.source;
  const least = level === undefined ? 0 : logLevels.indexOf(level);
  const wanted = search?.toLowerCase();
  const messages: LogPage['messages'] = [];
  let read = 0;
  for (let seq = flow.lastSeq; seq > flow.lastSeq - flow.size && messages.length < MOST_MESSAGES; seq--) {
    if (++read % BATCH_EVENTS === 0) await new Promise((resolve) => setImmediate(resolve));
    const event = flow.get(seq);
    if (event?.kind !== 'frame' || event.direction !== 'fromServer' || event.cut) continue;
    if (server !== undefined && event.server !== server) continue;
    if (!view.analysis.describe(event).messages.some(({ method }) => method === METHOD)) continue;
    for (const { severity, logger, data } of messagesIn(redact(decodeText(event.payload)))) {
      if (logLevels.indexOf(severity) < least) continue;
      if (wanted !== undefined && !`${logger ?? ''} ${data}`.toLowerCase().includes(wanted)) continue;
      const { atMs, life } = event;
      messages.push({ seq, atMs, server: event.server, life, level: severity, logger, data });
    }
  }
  return { messages: messages.reverse(), dropped: flow.dropped.events > 0 || messages.length >= MOST_MESSAGES };
}

function messagesIn(text: string): { severity: LogLevel; logger: string | undefined; data: string }[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return []; // other output on the same line
  }
  if (isNestedTooDeeply(json)) return [];
  return (Array.isArray(json) ? json : [json]).flatMap((message) => {
    if (!isObject(message) || message.method !== METHOD || !isObject(message.params)) return [];
    const { level, logger, data } = message.params;
    const severity = logLevels.find((each) => each === level) ?? 'info';
    const written = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    return [
      { severity, logger: typeof logger === 'string' ? logger : undefined, data: written.slice(0, LONGEST_DATA) },
    ];
  });
}
