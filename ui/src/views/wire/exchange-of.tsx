// The client request of an event and the requests to servers that it caused, as bars on one time axis.

import { useEffect, useState } from 'react';
import type { EventRow, ExchangeReport, ExchangeTimes, TaskSummary } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';
import { ServerChip } from '../../parts/server-chip.tsx';
import { addressOf } from '../../route.ts';
import { announce } from '../../state/announce.ts';
import { latency, plural } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { outcomeOf } from '../tasks/task-outcome.ts';
import { Hop } from './hop.tsx';
import { moveToSeq } from './wire-state.ts';

type Part = ExchangeReport['requests'][number];

/** Minimum width, so that short requests can be seen and clicked. */
const LEAST_PERCENT = 1.5;

export function ExchangeOf({ row }: { row: EventRow }) {
  const report = useExchange(row);
  if (!report) return null;
  return (
    <>
      {report.task && <TaskOf task={report.task} />}
      {report.requests.length > 0 && <Requests report={report} row={row} />}
    </>
  );
}

function TaskOf({ task }: { task: TaskSummary }) {
  const { id, row, startMs, endMs, messages, polls, statusMessage } = task;
  const { word, tone } = outcomeOf(task);
  return (
    <section className="exchange" aria-label="Task">
      <h3>Task</h3>
      <p>
        <span className={`outcome ${tone}`}>{word}</span> {endMs !== undefined && `after ${latency(endMs - startMs)}, `}
        {plural(messages, 'message')}, {plural(polls, 'poll')}
      </p>
      {statusMessage && <p className="muted">{visibleLine(statusMessage)}</p>}
      <p className="card-links">
        <a href={addressOf('tasks', { task: id })}>Open in Tasks</a>
        <a href={addressOf('wire', { task: row })}>Only its messages</a>
      </p>
    </section>
  );
}

function Requests({ report: { requests, times }, row }: { report: ExchangeReport; row: EventRow }) {
  const startMs = Math.min(...requests.map((part) => part.startMs));
  const endMs = Math.max(...requests.map((part) => part.endMs ?? part.startMs), startMs);
  return (
    <section className="exchange" aria-label="Exchange">
      <h3>Exchange</h3>
      <ol className="bars">
        {requests.map((part) => (
          <li key={part.requestSeq}>
            <Bar part={part} startMs={startMs} endMs={endMs} here={belongs(row, part)} />
          </li>
        ))}
      </ol>
      {times && <Times times={times} />}
      {requests.map(({ requestSeq, hop }) => hop && <Hop key={requestSeq} hop={hop} />)}
      {requests.length === 1 && requests[0]!.direction === 'fromClient' && (
        <p className="muted">The host answered this request without a server.</p>
      )}
    </section>
  );
}

function Bar({ part, startMs, endMs, here }: { part: Part; startMs: number; endMs: number; here: boolean }) {
  const wholeMs = Math.max(endMs - startMs, 0.001);
  const tookMs = part.endMs === undefined ? undefined : part.endMs - part.startMs;
  const width = Math.max((100 * (tookMs ?? endMs - part.startMs)) / wholeMs, LEAST_PERCENT);
  const left = Math.min((100 * (part.startMs - startMs)) / wholeMs, 100 - width);
  const name = visibleLine(part.tool ?? part.method);
  const state = part.failed ? ' failed' : part.endMs === undefined ? ' pending' : '';
  return (
    <button
      type="button"
      className={`bar-row quiet${here ? ' here' : ''}`}
      aria-current={here || undefined}
      title={`${titleOf(part)} (#${part.requestSeq})`}
      onClick={() => moveToSeq(part.requestSeq)}
    >
      <ServerChip name={part.server} />
      <span className="cut">{name}</span>
      <span className="bar-track" aria-hidden="true">
        <span className={`bar ${part.direction}${state}`} style={{ left: `${left}%`, width: `${width}%` }} />
      </span>
      <span className="bar-time">{tookMs === undefined ? 'pending' : latency(tookMs)}</span>
      <span className="hidden-text">{titleOf(part)}</span>
    </button>
  );
}

function Times({ times: { beforeMs, serverMs, betweenMs, afterMs } }: { times: ExchangeTimes }) {
  const parts: [string, number][] = [
    ['host, before', beforeMs],
    ['server', serverMs],
    ['between', betweenMs],
    ['host, after', afterMs],
  ];
  return (
    <dl className="facts dense">
      {parts
        .filter(([name, ms]) => name !== 'between' || ms > 0)
        .map(([name, ms]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{latency(ms)}</dd>
          </div>
        ))}
    </dl>
  );
}

function titleOf({ direction, outcome }: Part): string {
  const what = {
    fromClient: 'request from the client',
    toServer: 'request to the server',
    fromServer: 'question from the server',
    toClient: 'question to the client',
  }[direction];
  return `${what}: ${outcome}`;
}

function belongs(row: EventRow, { requestSeq, answerSeq }: Part): boolean {
  return row.seq === requestSeq || row.seq === answerSeq || row.pairSeq === requestSeq;
}

/** Loads the exchange, and again when the response arrives or the task changes. */
function useExchange({ seq, kind, pairSeq, note, task }: EventRow): ExchangeReport | undefined {
  const [report, setReport] = useState<ExchangeReport>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: reloads when the row changes
  useEffect(() => {
    if (kind !== 'frame') return;
    let current = true;
    api.exchange(seq).then(
      (found) => current && setReport(found),
      () => undefined, // the events are shown without the exchange
    );
    return () => {
      current = false;
    };
  }, [seq, kind, pairSeq, note, task]);
  return report;
}

/** Moves from a client frame to the request to the server that it caused, or back. */
export async function goToOtherSide(seq: number | undefined): Promise<void> {
  if (seq === undefined) return;
  try {
    const { requests } = await api.exchange(seq);
    const own = requests.find(({ requestSeq, answerSeq }) => requestSeq === seq || answerSeq === seq);
    const wanted = own?.direction === 'fromClient' ? 'toServer' : 'fromClient';
    const other = requests.find(({ direction }) => direction === wanted);
    if (!other) return announce('No request on the other side belongs to this event.');
    moveToSeq(own?.answerSeq === seq ? (other.answerSeq ?? other.requestSeq) : other.requestSeq);
  } catch (error) {
    announce((error as Error).message, 'bad');
  }
}
