// The calls of one tool, resource or prompt: those that were pinned, with names, then the newest.

import type { CallRequest, CallUpdate } from '../../../../src/app/inspector/api.ts';
import { writeExact } from '../../json/exact-json.ts';
import { announce } from '../../state/announce.ts';
import { useCell } from '../../state/cell.ts';
import { wallTime } from '../../state/inspected.ts';
import { resendSeq } from '../../state/resend.ts';
import { pin, rename, type SavedCall, savedCalls, unpin } from '../../state/saved-calls.ts';
import { clockTime, latency } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { outcomeOf } from './call-outcome.tsx';

const SHOWN = 30;

interface Props {
  calls: CallUpdate[];
  saved: readonly SavedCall[];
  shownId: string | undefined;
  onShow(id: string): void;
  onReuse(request: CallRequest, id: string): void;
}

export function CallHistory({ calls, saved, shownId, onShow, onReuse }: Props) {
  useCell(savedCalls);
  if (calls.length + saved.length === 0) return null;
  return (
    <section className="history" aria-label="Call history">
      {saved.length > 0 && (
        <>
          <h3>Pinned</h3>
          <ul>
            {saved.map((call) => (
              <Pinned key={call.id} call={call} onReuse={onReuse} />
            ))}
          </ul>
        </>
      )}
      {calls.length > 0 && <h3>History</h3>}
      <ul>
        {calls.slice(0, SHOWN).map((call) => (
          <li key={call.id} className={call.id === shownId ? 'shown' : ''}>
            <PinButton call={call} isPinned={saved.some(({ id }) => id === call.id)} />
            <button
              type="button"
              className="history-show"
              aria-pressed={call.id === shownId}
              onClick={() => onShow(call.id)}
            >
              <span className={`outcome ${outcomeOf(call).tone}`}>{outcomeOf(call).word}</span>
              <span className="mono">{clockTime(wallTime(call.startedAtMs))}</span>
              <span className="mono muted">{latency(call.durationMs)}</span>
              <span className="cut mono">{visibleLine(argumentsOf(call.request))}</span>
            </button>
            {call.requestSeq !== undefined && (
              <button
                type="button"
                title="Edit the request and send it again, beside the original"
                onClick={() => resendSeq(call.server, call.requestSeq!)}
              >
                Resend…
              </button>
            )}
            <button
              type="button"
              title="Fill the form with these arguments"
              onClick={() => onReuse(call.request, call.id)}
            >
              Again…
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function PinButton({ call, isPinned }: { call: CallUpdate; isPinned: boolean }) {
  const { id, server, request } = call;
  const toggle = () => {
    if (isPinned) return unpin(id);
    const why = pin({ id, server, request, name: clockTime(wallTime(call.startedAtMs)).slice(0, 8) });
    if (why) announce(`Not pinned: ${why}`, 'bad');
  };
  return (
    <button
      type="button"
      className="quiet pin"
      aria-pressed={isPinned}
      aria-label={`Pin the call of ${clockTime(wallTime(call.startedAtMs))}`}
      title="Keep this call in this browser"
      onClick={toggle}
    >
      {isPinned ? '★' : '☆'}
    </button>
  );
}

function Pinned({ call, onReuse }: { call: SavedCall; onReuse: Props['onReuse'] }) {
  return (
    <li>
      <button
        type="button"
        className="quiet pin"
        aria-pressed="true"
        aria-label={`Remove ${visibleLine(call.name)}`}
        onClick={() => unpin(call.id)}
      >
        ★
      </button>
      <input
        type="text"
        className="pin-name"
        aria-label="Name of the pinned call"
        value={call.name}
        maxLength={100}
        onChange={(event) => rename(call.id, event.target.value)}
      />
      <span className="cut mono muted pinned-arguments">{visibleLine(argumentsOf(call.request))}</span>
      <button
        type="button"
        aria-label={`Use ${visibleLine(call.name)}`}
        title="Fill the form with these arguments"
        onClick={() => onReuse(call.request, call.id)}
      >
        Use
      </button>
    </li>
  );
}

function argumentsOf(request: CallRequest): string {
  if (request.kind === 'resource') return request.uri;
  if (request.kind === 'request') return writeExact(request.params).slice(0, 200);
  const text = request.kind === 'tool' ? request.argsText : undefined;
  return (text ?? JSON.stringify(request.args)).slice(0, 200);
}
