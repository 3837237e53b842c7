// Searches stderr lines and events.

import { decodeText } from '../../../base/decode-text.ts';
import type { Redact } from '../../../base/secrets/redact.ts';
import { type FlowEvent, partsOf } from '../../../observe/flow/event.ts';
import type { FlowStore } from '../../../observe/flow/store.ts';
import { textMatcher } from '../../../observe/show/text-matcher.ts';
import type { SearchPage, StderrPage } from '../api.ts';
import { nothingRedacted, type Redaction } from '../redaction.ts';

interface StderrQuery {
  server: string | undefined;
  life: number | undefined;
  /** Text to find, regardless of case. */
  search: string | undefined;
}

type Line = StderrPage['lines'][number];

const MOST_LINES = 5_000;

/**
 * The newest stderr lines that fit. The redacted text is searched, so that a search reveals nothing about hidden secrets.
 */
export function searchStderr(
  flow: FlowStore,
  { server, life, search }: StderrQuery,
  { text: redact }: Redaction,
): StderrPage {
  const wanted = search?.toLowerCase();
  const lines: Line[] = [];
  let dropped = flow.dropped.events > 0;
  // Searches back from the newest line: the lines that do not fit are the oldest.
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

interface SearchQuery {
  /** Text to find, regardless of case. */
  text: string;
  after: number;
}

const SLICE_EVENTS = 500;
const SLICE_BYTES = 512 * 1024;
const MOST_EVENTS = 50_000;
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_FOUND = 10_000;

/**
 * Finds text in messages, stderr and the texts about a process. Works in slices, so that traffic in this process is not blocked, and returns
 * after a bounded amount of work; the client continues after `searchedSeq`.
 */
export async function searchText(
  flow: FlowStore,
  { text, after }: SearchQuery,
  redaction: Redaction = nothingRedacted,
  isUnwanted: () => boolean = () => false,
): Promise<SearchPage> {
  const isIn = textMatcher(text);
  const isInMask = mayBeInMask(text);
  // Redacting costs more than searching: only events that contain the raw text need the second search.
  const holds = (event: FlowEvent, parts: (Uint8Array | string)[]) =>
    (isInMask || parts.some(isIn)) &&
    (redaction === nothingRedacted ? parts : partsOf(redaction.event(event))).some(isIn);
  const found: number[] = [];
  let [searchedSeq, events, bytes] = [after, 0, 0];
  const isEnough = () => events >= MOST_EVENTS || bytes >= MOST_BYTES || found.length >= MOST_FOUND;
  while (!isEnough() && !isUnwanted()) {
    const sliceEnd = bytes + SLICE_BYTES;
    const slice = flow.since(searchedSeq, SLICE_EVENTS);
    if (slice.length === 0) break;
    for (const event of slice) {
      const parts = partsOf(event);
      if (holds(event, parts)) found.push(event.seq);
      searchedSeq = event.seq;
      events++;
      for (const part of parts) bytes += part.length;
      if (bytes >= sliceEnd || isEnough()) break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { found, searchedSeq, newest: flow.lastSeq };
}

/** Returns true if the text may occur in the mask of a secret. A match then reveals nothing about the secret. */
function mayBeInMask(text: string): boolean {
  const lower = text.toLowerCase();
  return lower.length <= 3 || '[redacted]'.includes(lower) || lower.includes('[env') || lower.includes('redacted');
}
