// One task: its status with the history, its pending questions, and its result or error.

import { type ReactNode, useEffect, useState } from 'react';
import type { Question, TaskDetail, TaskSummary } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';
import { Elapsed } from '../../parts/elapsed.tsx';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { ServerChip } from '../../parts/server-chip.tsx';
import { addressOf } from '../../route.ts';
import { announce } from '../../state/announce.ts';
import { useCell } from '../../state/cell.ts';
import { canAct, wallTime } from '../../state/inspected.ts';
import { isAnswered, questions } from '../../state/questions.ts';
import { isRunning } from '../../state/tasks.ts';
import { clockTime, latency } from '../../text/amounts.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { ErrorNote } from '../offers/call-outcome.tsx';
import { ResultView } from '../offers/result-view.tsx';
import { QuestionForm, titleOf } from '../questions/question-dialog.tsx';
import { nameOf, outcomeOf } from './task-outcome.ts';

export function TaskPane({ task: listed }: { task: TaskSummary }) {
  const { detail, problem } = useDetail(listed);
  // The list is updated with a delay.
  const task = detail && detail.changes >= listed.changes ? detail : listed;
  const { id, tool, server, client, row, clientRow, failure } = task;
  const { word, tone } = outcomeOf(task);
  const asked = useAsked(task, detail);
  const acts = useCell(canAct);
  return (
    <section className="call-pane" id="task" tabIndex={-1} aria-label={`Task ${visibleLine(nameOf(task))}`}>
      <header className="call-head">
        <a className="narrow-only back" href={addressOf('tasks')}>
          ‹ all tasks
        </a>
        <h2>{visibleLine(nameOf(task))}</h2>
        <span className={`outcome ${tone}`} role="status">
          {word}
        </span>
        <ServerChip name={server} />
        {client !== undefined && <ServerChip name={client} />}
        <span className="tag">{task.form}</span>
      </header>
      <Facts task={task} />
      <div className="buttons task-links">
        {task.canAct && isRunning(task) && <Cancel id={id} />}
        {row !== undefined && <a href={addressOf('wire', { task: row })}>Messages on the wire</a>}
        {clientRow !== undefined && <a href={addressOf('wire', { task: clientRow })}>Messages of the client</a>}
        {tool !== undefined && acts && <a href={addressOf('tools', { server, name: tool })}>Open in Tools</a>}
      </div>
      {problem !== undefined && <p className="note">The details are not available: {visible(problem)}</p>}
      {asked.map((question) => (
        <section key={question.id} className="result busy" aria-label={titleOf(question)}>
          <h3>{titleOf(question)}</h3>
          {task.canAct || !question.task ? (
            <QuestionForm question={question} />
          ) : (
            <p className="about">{visible(String((question.params as { message?: unknown }).message ?? ''))}</p>
          )}
        </section>
      ))}
      {(detail?.result ?? detail?.error ?? failure) !== undefined && (
        <section className={`result ${tone}`} aria-label="Result">
          {detail?.error ? (
            <ErrorNote error={detail.error} />
          ) : (
            failure !== undefined && <p className="note bad">{visible(sentence(failure))}</p>
          )}
          {detail?.result && <ResultView result={detail.result} server={server} fileName="task" />}
        </section>
      )}
      {detail?.missing && <p className="note">{visible(detail.missing)}</p>}
      {detail && <History detail={detail} />}
    </section>
  );
}

function Facts({ task: { taskId, startMs, endMs, messages, polls } }: { task: TaskSummary }) {
  const facts: [string, ReactNode][] = [
    ['task', <code key="id">{visibleLine(taskId)}</code>],
    ['started', clockTime(wallTime(startMs))],
    ['duration', endMs === undefined ? <Elapsed key="elapsed" startMs={startMs} /> : latency(endMs - startMs)],
    ['messages', messages > 0 ? messages.toLocaleString('en') : undefined],
    ['polls', polls > 0 ? polls.toLocaleString('en') : undefined],
  ];
  return (
    <dl className="facts dense">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Cancel({ id }: { id: string }) {
  const [cancelling, setCancelling] = useState(false);
  const cancel = () => {
    setCancelling(true);
    api.cancelTask(id).then(
      () => announce('The server was asked to cancel the task', 'good'),
      (error: Error) => {
        setCancelling(false);
        announce(`Not cancelled: ${error.message}`, 'bad');
      },
    );
  };
  return (
    <button type="button" disabled={cancelling} onClick={cancel}>
      {cancelling ? 'Cancelling…' : 'Cancel'}
    </button>
  );
}

function History({ detail: { history, changes, startMs } }: { detail: TaskDetail }) {
  const dropped = changes - history.length;
  return (
    <section className="history" aria-label="History">
      <h3>History</h3>
      <ScrollRegion className="table-scroll" label="Changes of the status">
        <table>
          <thead>
            <tr>
              {['time', 'after', 'status', 'message'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {history.map(({ atMs, status, statusMessage }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: changes are identified by their position
              <tr key={at}>
                <td className="mono">{clockTime(wallTime(atMs))}</td>
                <td className="mono muted">{latency(atMs - startMs)}</td>
                <td>{status.replace('_', ' ')}</td>
                <td className="task-message">{visibleLine(statusMessage ?? '')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {dropped > 0 && <p className="muted">{dropped.toLocaleString('en')} changes after the first were dropped.</p>}
    </section>
  );
}

function sentence(failure: string): string {
  return `${failure.charAt(0).toUpperCase()}${failure.slice(1)}.`;
}

/** Loads the details again after each change. */
function useDetail({ id, status, changes, questions: count }: TaskSummary): { detail?: TaskDetail; problem?: string } {
  const [known, setKnown] = useState<{ detail?: TaskDetail; problem?: string }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: reloads when the task changes
  useEffect(() => {
    let current = true;
    api.task(id).then(
      (detail) => current && setKnown({ detail }),
      (error: Error) => current && setKnown(({ detail }) => ({ detail, problem: error.message })),
    );
    return () => {
      current = false;
    };
  }, [id, status, changes, count]);
  return known;
}

const RELATED_TASK = 'io.modelcontextprotocol/related-task';

/** The pending questions. A server of 2025-11-25 asks them as requests, which name the task. */
function useAsked(task: TaskSummary, detail: TaskDetail | undefined): Question[] {
  const open = useCell(questions);
  if (!isRunning(task)) return [];
  const isRelated = ({ server, params }: Question) => {
    const related = (params as { _meta?: Record<string, unknown> })._meta?.[RELATED_TASK];
    return server === task.server && (related as { taskId?: unknown } | undefined)?.taskId === task.taskId;
  };
  const asked = task.questions > 0 ? (detail?.asked ?? []) : [];
  return [...asked.filter((question) => !isAnswered(question)), ...open.filter(isRelated)];
}
