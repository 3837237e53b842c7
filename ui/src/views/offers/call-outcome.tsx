// A running call (progress, cancel) or its result.

import { useEffect, useState } from 'react';
import type { CallUpdate } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';
import { announce } from '../../state/announce.ts';
import { duration, latency } from '../../text/amounts.ts';
import { visible } from '../../text/visible.ts';
import { ResultView } from './result-view.tsx';

export function outcomeOf({ state, result }: CallUpdate): { word: string; tone: string } {
  if (state === 'running') return { word: 'running', tone: 'busy' };
  if (state === 'cancelled') return { word: 'cancelled', tone: 'plain' };
  if (state === 'failed') return { word: 'failed', tone: 'bad' };
  const reported = result && 'isError' in result && result.isError;
  return reported ? { word: 'tool error', tone: 'bad' } : { word: 'done', tone: 'good' };
}

export function CallOutcome({ call }: { call: CallUpdate }) {
  const { word, tone } = outcomeOf(call);
  return (
    <section className={`result ${tone}`} aria-label="Result">
      <header className="result-head">
        <span className={`outcome ${tone}`} role="status">
          {word}
        </span>
        {call.durationMs !== undefined && <span className="muted">after {latency(call.durationMs)}</span>}
        {call.state === 'running' && <Running call={call} />}
      </header>
      {call.error && (
        <div className="note bad">
          <p>
            <code>{visible(call.error.code)}</code> {visible(call.error.message)}
          </p>
          {call.error.hint && <p className="muted">{visible(call.error.hint)}</p>}
        </div>
      )}
      {tone === 'bad' && !call.error && <p className="note bad">The tool ran and reported an error.</p>}
      {call.result && <ResultView key={call.id} result={call.result} server={call.server} />}
    </section>
  );
}

function Running({ call: { id, progress } }: { call: CallUpdate }) {
  const [startedAt] = useState(performance.now());
  const [now, setNow] = useState(startedAt);
  const [cancelling, setCancelling] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const cancel = () => {
    setCancelling(true);
    api.cancel(id).catch((error: Error) => {
      setCancelling(false);
      announce(`Not cancelled: ${error.message}`, 'bad');
    });
  };
  return (
    <>
      <progress
        aria-label="Progress of the call"
        max={progress?.total}
        value={progress?.total === undefined ? undefined : progress.progress}
      />
      <span className="muted">
        {progress?.message ? visible(progress.message) : ''}{' '}
        {progress && (progress.total === undefined ? progress.progress : `${progress.progress} of ${progress.total}`)}{' '}
        {duration(now - startedAt)}
      </span>
      <button type="button" disabled={cancelling} onClick={cancel}>
        {cancelling ? 'Cancelling…' : 'Cancel'}
      </button>
    </>
  );
}
