// The time of a request answered by another node. The total network time is exact. Its split between both directions depends on the
// measured offset of the two clocks.

import type { HopTimes } from '../../../../src/app/inspector/api.ts';
import { latency } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';

export function Hop({ hop }: { hop: HopTimes }) {
  const { node, generation, pid, nodeMs, wayMs, outMs, uncertaintyMs = 0 } = hop;
  const name = visibleLine(node);
  const isDivided = outMs !== undefined;
  const parts: [string, string][] = isDivided
    ? [
        [`to ${name}`, about(outMs, uncertaintyMs)],
        [`at ${name}`, latency(nodeMs)],
        [`from ${name}`, about(wayMs - outMs, uncertaintyMs)],
      ]
    : [
        [`to and from ${name}`, latency(wayMs)],
        [`at ${name}`, latency(nodeMs)],
      ];
  const share = (ms: number) => (100 * ms) / Math.max(wayMs + nodeMs, 0.001);
  const where = [pid && `process ${pid}`, generation && `generation ${generation}`].filter(Boolean).join(', ');
  return (
    <section className="hop" aria-label={`Node ${name}`}>
      <h4>
        Node {name} <span className="muted">{where}</span>
      </h4>
      <div className="hop-bar" aria-hidden="true">
        <span className={isDivided ? 'way unsure' : 'way'} style={{ flexGrow: share(isDivided ? outMs : wayMs) }} />
        <span className="at" style={{ flexGrow: share(nodeMs) }} />
        {isDivided && <span className="way unsure" style={{ flexGrow: share(wayMs - outMs) }} />}
      </div>
      <dl className="facts dense hops">
        {parts.map(([what, text]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p className="muted small">
        {isDivided
          ? `Network time: ${latency(wayMs)}. Its split between both directions is derived from the clock offset, with the uncertainty shown.`
          : 'The clock offset is not measured, so only the total network time is known.'}
      </p>
    </section>
  );
}

function about(ms: number, uncertaintyMs: number): string {
  return `${latency(ms)} ± ${latency(uncertaintyMs)}`;
}
