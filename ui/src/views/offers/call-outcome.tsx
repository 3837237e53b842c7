// A running call (progress, cancel) or its result. A call that became a task has its status too.

import { useState } from 'react';
import type { CallUpdate } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';
import { Elapsed } from '../../parts/elapsed.tsx';
import { addressOf } from '../../route.ts';
import { announce } from '../../state/announce.ts';
import { subjectOf } from '../../state/calls.ts';
import { openQuestion } from '../../state/questions.ts';
import { latency } from '../../text/amounts.ts';
import { visible } from '../../text/visible.ts';
import { ResultView } from './result-view.tsx';

export function outcomeOf({ state, result, task }: CallUpdate): { word: string; tone: string } {
  if (state === 'running') return { word: task ? task.status.replace('_', ' ') : 'running', tone: 'busy' };
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
        {call.task && <a href={addressOf('tasks', { task: call.id })}>Task</a>}
        {call.state === 'running' && <Running call={call} />}
      </header>
      {call.error && <ErrorNote error={call.error} />}
      {tone === 'bad' && !call.error && <p className="note bad">The tool ran and reported an error.</p>}
      {call.result && (
        <ResultView key={call.id} result={call.result} server={call.server} fileName={fileNameOf(call)} />
      )}
    </section>
  );
}

export function ErrorNote({ error: { code, message, hint } }: { error: NonNullable<CallUpdate['error']> }) {
  return (
    <div className="note bad">
      <p>
        <code>{visible(code)}</code> {visible(message)}
      </p>
      {hint && <p className="muted">{visible(hint)}</p>}
    </div>
  );
}

function Running({ call: { id, progress, task, startedAtMs } }: { call: CallUpdate }) {
  const [cancelling, setCancelling] = useState(false);
  const question = task?.questions[0];
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
        {visible(progress?.message ?? task?.statusMessage ?? '')}{' '}
        {progress && (progress.total === undefined ? progress.progress : `${progress.progress} of ${progress.total}`)}{' '}
        <Elapsed startMs={startedAtMs} />
      </span>
      {question && (
        <button type="button" className="primary" onClick={() => openQuestion.set(question.id)}>
          Answer
        </button>
      )}
      <button type="button" disabled={cancelling} onClick={cancel}>
        {cancelling ? 'Cancelling…' : 'Cancel'}
      </button>
    </>
  );
}

/** The name of a file with the result, without its ending. */
function fileNameOf({ request }: CallUpdate): string {
  return subjectOf(request)
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 60);
}
