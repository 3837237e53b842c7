// The stderr output of servers, line by line, as far as the store still has it: the newest lines that fit.

import { decodeText } from '../../../base/decode-text.ts';
import type { Redact } from '../../../base/secrets/redact.ts';
import type { FlowEvent } from '../../../observe/flow/event.ts';
import type { FlowStore } from '../../../observe/flow/store.ts';
import type { StderrPage } from '../api.ts';
import type { Redaction } from '../redaction.ts';

export interface StderrQuery {
  server: string | undefined;
  life: number | undefined;
  /** Case-insensitive. */
  search: string | undefined;
}

type Line = StderrPage['lines'][number];

const MOST_LINES = 5_000;

/** The redacted text is searched, so that a search reveals nothing about hidden secrets. */
export function searchStderr(
  flow: FlowStore,
  { server, life, search }: StderrQuery,
  { text: redact }: Redaction,
): StderrPage {
  const wanted = search?.toLowerCase();
  const lines: Line[] = [];
  let dropped = flow.dropped.events > 0;
  // From the newest back: lines that do not fit are the oldest.
  for (let seq = flow.lastSeq; seq > flow.lastSeq - flow.size; seq--) {
    const event = flow.get(seq);
    if (event?.kind !== 'stderr') continue;
    if ((server !== undefined && event.server !== server) || (life !== undefined && event.life !== life)) continue;
    const found = linesOf(event, redact).filter(
      ({ text }) => wanted === undefined || text.toLowerCase().includes(wanted),
    );
    if (lines.length + found.length > MOST_LINES) {
      dropped = true;
      break;
    }
    lines.push(...found.reverse());
  }
  return { lines: lines.reverse(), dropped };
}

function linesOf(event: FlowEvent & { kind: 'stderr' }, redact: Redact): Line[] {
  const { seq, atMs, server, life } = event;
  const texts = redact(decodeText(event.payload)).split(/\r?\n/);
  if (texts.at(-1) === '') texts.pop();
  return texts.map((text) => ({ seq, atMs, server, life, text }));
}
