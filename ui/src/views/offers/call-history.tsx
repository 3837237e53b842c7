import type { CallUpdate } from '../../../../src/app/inspector/api.ts';
import { wallTime } from '../../state/inspected.ts';
import { clockTime, latency } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { outcomeOf } from './call-outcome.tsx';

const SHOWN = 30;

interface Props {
  calls: CallUpdate[];
  shownId: string | undefined;
  onShow(id: string): void;
  onReuse(call: CallUpdate): void;
}

export function CallHistory({ calls, shownId, onShow, onReuse }: Props) {
  if (calls.length === 0) return null;
  return (
    <section className="history" aria-label="Call history">
      <h3>History</h3>
      <ul>
        {calls.slice(0, SHOWN).map((call) => (
          <li key={call.id} className={call.id === shownId ? 'shown' : ''}>
            <button
              type="button"
              className="history-show"
              aria-pressed={call.id === shownId}
              onClick={() => onShow(call.id)}
            >
              <span className={`outcome ${outcomeOf(call).tone}`}>{outcomeOf(call).word}</span>
              <span className="mono">{clockTime(wallTime(call.startedAtMs))}</span>
              <span className="mono muted">{latency(call.durationMs)}</span>
              <span className="cut mono">{visibleLine(argumentsOf(call))}</span>
            </button>
            <button type="button" title="Fill the form with these arguments" onClick={() => onReuse(call)}>
              Again…
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function argumentsOf({ request }: CallUpdate): string {
  if (request.kind === 'resource') return request.uri;
  const text = request.kind === 'tool' ? request.argsText : undefined;
  return (text ?? JSON.stringify(request.args)).slice(0, 200);
}
