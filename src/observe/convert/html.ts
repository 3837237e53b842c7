// A recording as one HTML file that opens from disk: a waterfall of the requests with their messages, and stderr, exits and stray output on
// the same clock. No scripts and no network access. All data is escaped, and the policy of the page allows only its own style.

import { decodeText } from '../../base/decode-text.ts';
import { firstChars } from '../../base/first-chars.ts';
import { htmlText as text } from '../../base/markup.ts';
import { eventText } from '../analysis/event-text.ts';
import { isFailure } from '../analysis/exchange.ts';
import type { FlowEvent } from '../flow/event.ts';
import { reportPage } from '../verify/report-page.ts';
import type { SelectedEvent, SelectedExchange, Selection } from './selection.ts';

const style = `
:root { color-scheme: light dark; --text: #1c2128; --quiet: #57606a; --page: #ffffff; --box: #f4f6f8; --line: #d0d7de; --ok: #116329; --bad: #b3261e; --bar: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --quiet: #9ea7b3; --page: #0d1117; --box: #161b22; --line: #30363d; --ok: #56d364; --bad: #ff8a80; --bar: #79b8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 72rem; background: var(--page); color: var(--text); font: 0.9375rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0 0 0.25rem; font-size: 1.5rem; }
p { margin: 0.3rem 0; }
.quiet { color: var(--quiet); }
code, pre { font: 0.8125rem/1.5 ui-monospace, monospace; }
details, .event { border-top: 1px solid var(--line); padding: 0.3rem 0; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
.row { display: grid; grid-template-columns: 5.5rem 8rem minmax(0, 1fr) 6rem 10rem; gap: 0.75rem; align-items: baseline; }
.event .row { grid-template-columns: 5.5rem 8rem minmax(0, 1fr); }
.time { text-align: right; font-variant-numeric: tabular-nums; color: var(--quiet); }
.ok { color: var(--ok); } .bad { color: var(--bad); font-weight: 600; }
svg { width: 100%; height: 0.6rem; } rect { fill: var(--bar); } .failed rect { fill: var(--bad); }
pre { margin: 0.4rem 0; padding: 0.5rem 0.75rem; background: var(--box); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; }
:focus-visible { outline: 2px solid var(--bar); outline-offset: 2px; }
@media (max-width: 48rem) { .row, .event .row { grid-template-columns: 5.5rem minmax(0, 1fr); } svg { display: none; } }
`;

/** The size of a page with many events: the longest messages are cut so that all fit. */
const LEAST_BYTES = 1_600_000;
const BYTES_PER_EVENT = 800;
const LONGEST_NAME = 100;
/** Longer messages are cut: the file has to open quickly. */
const LONGEST_MESSAGE = 20_000;

export function asHtml({ events, exchanges }: Selection, title: string): string {
  const requests = new Map(exchanges.map((each) => [keyOf(each.exchange), each]));
  const firstMs = events[0]?.dateMs ?? 0;
  const spanMs = Math.max(1, (events.at(-1)?.dateMs ?? 0) - firstMs);
  const share = shareOf(sizesOf(events, exchanges), Math.max(LEAST_BYTES, events.length * BYTES_PER_EVENT));
  const rows = events.flatMap((selected) => {
    const { event } = selected;
    const exchange = requests.get(keyOf({ ...event, requestSeq: event.seq }));
    if (exchange) return exchangeRow(exchange, firstMs, spanMs, share);
    return eventRow(selected, firstMs, share) ?? [];
  });
  const failed = exchanges.filter(({ exchange }) => isFailure(exchange)).length;
  const counts = `${exchanges.length} requests, ${failed} failed, ${events.length} events`;
  const header = `<h1 dir="auto">${text(title)}</h1>
<p class="quiet">${counts}, from ${new Date(firstMs).toISOString()} in ${(spanMs / 1000).toFixed(1)} s</p>`;
  return reportPage({ title, generator: 'standpipe convert', header, main: rows.join('\n'), style });
}

/** The bytes of each message and line of output on the page. */
function sizesOf(events: readonly SelectedEvent[], exchanges: readonly SelectedExchange[]): number[] {
  const messages = exchanges.flatMap(({ request, answer }) => [pretty(request), answer ? pretty(answer) : '']);
  const others = events.map(({ event, messages }) => shownEvent(event, messages.length)?.[1] ?? '');
  return [...messages, ...others].map((each) => Buffer.byteLength(text(each)));
}

/** The most bytes that each may take so that all together take at most `total`. Smaller ones leave their rest to larger ones. */
function shareOf(sizes: readonly number[], total: number): number {
  let left = total;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** Escaped, and cut to this number of bytes. */
function limited(value: string, bytes: number): string {
  let escaped = text(value);
  if (Buffer.byteLength(escaped) <= bytes) return escaped;
  for (let kept = value; Buffer.byteLength(escaped) > bytes; escaped = text(kept)) {
    kept = firstChars(kept, Math.floor((kept.length * bytes) / Buffer.byteLength(escaped)));
  }
  return `${escaped}\n… (${value.length} characters)`;
}

function nameText(name: string): string {
  return text(name.length > LONGEST_NAME ? `${firstChars(name, LONGEST_NAME)}…` : name);
}

function keyOf({ server, life, requestSeq }: { server: string; life: number; requestSeq: number }): string {
  return `${requestSeq} ${life} ${server}`;
}

function exchangeRow(
  { exchange, request, answer, startDateMs, endDateMs }: SelectedExchange,
  firstMs: number,
  spanMs: number,
  share: number,
): string {
  const { server, method, tool, outcome, error } = exchange;
  const waitMs = endDateMs === undefined ? undefined : endDateMs - startDateMs;
  const x = ((startDateMs - firstMs) / spanMs) * 100;
  const width = Math.max(0.5, ((waitMs ?? spanMs) / spanMs) * 100);
  const name = [method, tool].filter((part) => part !== undefined && part !== '').join(' ');
  const how = error && isFailure(exchange) ? `error ${error.code}` : error ? 'not supported' : outcome;
  return `<details><summary class="row${isFailure(exchange) ? ' failed' : ''}"><span class="time">${timeOf(startDateMs - firstMs)}</span><span class="quiet" dir="auto">${nameText(server)}</span><span><code dir="auto">${nameText(name)}</code> <span class="${isFailure(exchange) ? 'bad' : 'ok'}">${text(how)}</span></span><span class="time">${waitMs === undefined ? '' : timeOf(waitMs)}</span><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect x="${x.toFixed(2)}" y="0" width="${width.toFixed(2)}" height="6"/></svg></summary>
<pre dir="auto">${limited(pretty(request), share)}</pre>
${answer === undefined ? '<p class="quiet">There is no complete answer.</p>' : `<pre dir="auto">${limited(pretty(answer), share)}</pre>`}
</details>`;
}

/** Undefined for messages, which are shown with their request, and for facts of no interest here. */
function eventRow({ event, dateMs, messages }: SelectedEvent, firstMs: number, share: number): string | undefined {
  const shown = shownEvent(event, messages.length);
  if (shown === undefined) return undefined;
  const [kind, what] = shown;
  return `<div class="event"><div class="row"><span class="time">${timeOf(dateMs - firstMs)}</span><span class="quiet" dir="auto">${nameText(event.server)}</span><span><span class="quiet">${kind}</span> <code dir="auto">${limited(what, share)}</code></span></div></div>`;
}

function shownEvent(event: FlowEvent, messages: number): [kind: string, text: string] | undefined {
  switch (event.kind) {
    case 'frame':
      return messages === 0 ? ['stray output', textOf(event.payload)] : undefined;
    case 'stderr':
      return ['stderr', textOf(event.payload)];
    case 'link':
    case 'hop':
    case 'client':
      return undefined;
    default:
      return [event.kind, eventText(event)];
  }
}

function textOf(bytes: Uint8Array): string {
  return decodeText(bytes.subarray(0, LONGEST_MESSAGE)).trimEnd();
}

function pretty(message: object): string {
  const compact = JSON.stringify(message);
  // Indentation at each of many levels can make the text longer than a string can be.
  const json = compact.length > LONGEST_MESSAGE ? compact : JSON.stringify(message, undefined, 2);
  return json.length > LONGEST_MESSAGE ? `${json.slice(0, LONGEST_MESSAGE)}\n… (${json.length} characters)` : json;
}

function timeOf(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
