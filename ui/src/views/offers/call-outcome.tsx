// A running call (progress, cancel) or its result. A call that became a task has its status too.

import { useState } from 'react';
import type { CallUpdate } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';
import { Elapsed } from '../../parts/elapsed.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { addressOf } from '../../route.ts';
import { announce } from '../../state/announce.ts';
import { subjectOf } from '../../state/calls.ts';
import { openQuestion } from '../../state/questions.ts';
import { latency } from '../../text/amounts.ts';
import { visible } from '../../text/visible.ts';
import { ResultView } from './result-view.tsx';

export function outcomeOf({ state, result, task, violations }: CallUpdate): { word: string; tone: string } {
  if (state === 'running') return { word: task ? task.status.replace('_', ' ') : 'running', tone: 'busy' };
  if (state === 'cancelled') return { word: 'cancelled', tone: 'plain' };
  if (state === 'failed') return { word: 'failed', tone: 'bad' };
  if (result && 'isError' in result && result.isError) return { word: 'tool error', tone: 'bad' };
  return violations ? { word: 'invalid result', tone: 'bad' } : { word: 'done', tone: 'good' };
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
      <FrameLinks call={call} />
      {word === 'tool error' && <p className="note bad">The tool ran and reported an error.</p>}
      {call.violations?.map((violation) => (
        <p key={violation} className="note bad">
          {visible(violation)}
        </p>
      ))}
      {call.result && (
        <ResultView
          key={call.id}
          result={call.result}
          server={call.server}
          fileName={fileNameOf(call)}
          answerSeq={call.answerSeq}
        />
      )}
    </section>
  );
}

function FrameLinks({ call: { requestSeq, answerSeq } }: { call: CallUpdate }) {
  if (requestSeq === undefined) return null;
  return (
    <p className="card-links">
      <a href={addressOf('wire', { event: requestSeq })}>Request #{requestSeq}</a>
      {answerSeq !== undefined && <a href={addressOf('wire', { event: answerSeq })}>Answer #{answerSeq}</a>}
    </p>
  );
}

export function ErrorNote({ error }: { error: NonNullable<CallUpdate['error']> }) {
  const { code, message, hint, rpcCode, data } = error;
  return (
    <div className="note bad">
      <p>
        <code>{rpcCode === undefined ? visible(code) : `${rpcCode} ${visible(code)}`}</code> {visible(message)}
      </p>
      {data !== undefined && <JsonTree value={data} label="Data of the error" />}
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
