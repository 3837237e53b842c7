// The HTTP request of an event: headers, status and messages.

import type { EventDetail } from '../../../../src/app/inspector/api.ts';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { latency, plural } from '../../text/amounts.ts';
import { visible } from '../../text/visible.ts';
import { moveToSeq } from './wire-state.ts';

type Report = NonNullable<EventDetail['exchange']>;

const bodies = { json: 'JSON', stream: 'event stream', none: 'no body', other: 'neither JSON nor event stream' };
const ends = { complete: 'complete', cut: 'cut off', aborted: 'closed by this side' };

export function HttpOf({ detail }: { detail: EventDetail | undefined }) {
  const report = detail?.exchange;
  if (!detail || !report) return null;
  const { exchange, method, url, status, waitMs, body, end, reason, repeats } = report;
  const facts: [string, string | undefined][] = [
    ['request', `${method} ${url}`],
    ['response', status === undefined ? 'none' : [status, body && bodies[body]].filter(Boolean).join(' ')],
    [status === undefined ? 'gave up after' : 'headers after', waitMs === undefined ? undefined : latency(waitMs)],
    ['end', end && [ends[end], reason].filter(Boolean).join(': ')],
    ['repeats', repeats === undefined ? undefined : `HTTP request ${repeats}`],
  ];
  return (
    <section className="http-of" aria-label="HTTP request">
      <h3>HTTP request {exchange}</h3>
      <dl className="facts dense">
        {facts.flatMap(([name, value]) =>
          value === undefined
            ? []
            : [
                <div key={name}>
                  <dt>{name}</dt>
                  <dd className={name === 'response' && (status ?? 500) >= 400 ? 'bad-text' : ''}>{visible(value)}</dd>
                </div>,
              ],
        )}
      </dl>
      <Headers name="Request headers" lines={report.requestHeaders} open={detail.row.kind === 'http'} />
      <Headers name="Response headers" lines={report.responseHeaders} open={detail.row.kind === 'http'} />
      <Frames report={report} here={detail.row.seq} />
    </section>
  );
}

function Headers({ name, lines, open }: { name: string; lines: string | undefined; open: boolean }) {
  if (!lines) return null;
  return (
    <details open={open}>
      <summary>{name}</summary>
      <ScrollRegion className="text wrap" label={name}>
        {visible(lines)}
      </ScrollRegion>
    </details>
  );
}

/** Buttons that lead to the events of the HTTP request. */
function Frames({ report: { frames, frameCount, beganSeq, endedSeq }, here }: { report: Report; here: number }) {
  const all = [...frames, beganSeq, endedSeq].filter((seq) => seq !== undefined).sort((a, b) => a - b);
  return (
    <p className="buttons wraps">
      <span className="muted">{plural(frameCount, 'message')}; events</span>
      {all.map((seq) => (
        <button
          key={seq}
          type="button"
          className="quiet"
          aria-current={seq === here || undefined}
          onClick={() => moveToSeq(seq)}
        >
          #{seq}
        </button>
      ))}
      {frameCount > frames.length && <span className="muted">and {frameCount - frames.length} more</span>}
    </p>
  );
}
