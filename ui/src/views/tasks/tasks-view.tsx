// The tasks of all clients: the list, newest first, and the selected one.

import { useState } from 'react';
import type { TaskSummary } from '../../../../src/app/inspector/api.ts';
import { Empty } from '../../parts/empty.tsx';
import { useKeys } from '../../parts/keyboard.ts';
import { SearchBox } from '../../parts/search-box.tsx';
import { ServerChip } from '../../parts/server-chip.tsx';
import { addressOf, replaceParams, useRoute } from '../../route.ts';
import { useCell } from '../../state/cell.ts';
import { wallTime } from '../../state/inspected.ts';
import { isRunning, tasks, tasksVersion, taskWith } from '../../state/tasks.ts';
import { clockTime, latency, plural } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import { nameOf, outcomeOf } from './task-outcome.ts';
import { TaskPane } from './task-pane.tsx';

const SHOWN = 500;

export default function TasksView() {
  useCell(tasksVersion);
  const { params } = useRoute();
  const [search, setSearch] = useState('');
  const [onlyRunning, setOnlyRunning] = useState(false);
  const all = [...tasks.values()].sort((a, b) => b.startMs - a.startMs);
  const running = all.filter(isRunning);
  const wanted = search.trim().toLowerCase();
  const shown = (onlyRunning ? running : all).filter((task) => textOf(task).toLowerCase().includes(wanted));
  const chosen = taskWith(params.task);
  const step = (by: 1 | -1) => {
    const next = shown[chosen ? shown.indexOf(chosen) + by : 0];
    if (next) replaceParams({ task: next.id });
  };
  useKeys([
    ['j', () => step(1)],
    ['k', () => step(-1)],
    ['Enter', focusTask],
  ]);
  return (
    <>
      <div className="view-head">
        <h1>Tasks</h1>
        <span className="muted">{plural(running.length, 'task')} running</span>
        {all.length > 0 && <SearchBox label="Find a task" value={search} onChange={setSearch} />}
        <label className="check">
          <input type="checkbox" checked={onlyRunning} onChange={(event) => setOnlyRunning(event.target.checked)} />{' '}
          running only
        </label>
      </div>
      <div className={chosen ? 'offers chosen' : 'offers'}>
        <nav className="offer-list task-list" aria-label="All tasks">
          <ul>
            {shown.slice(0, SHOWN).map((task) => (
              <TaskLink key={task.id} task={task} isChosen={task === chosen} />
            ))}
          </ul>
          {shown.length === 0 && <p className="muted pad">None.</p>}
          {shown.length > SHOWN && <p className="muted pad">{shown.length - SHOWN} more: search for them.</p>}
        </nav>
        {chosen ? (
          <TaskPane key={chosen.id} task={chosen} />
        ) : (
          <div className="call-pane">
            <Empty title={all.length === 0 ? 'No tasks yet' : 'Choose one of the tasks'}>
              {all.length === 0
                ? 'Tool calls that a server continues as a task are shown here, from all clients.'
                : 'The status, history, questions and result of the chosen task are shown here.'}
            </Empty>
          </div>
        )}
      </div>
    </>
  );
}

/** After a selection, Tab continues in the task and not in the list. */
function focusTask(): void {
  requestAnimationFrame(() => document.getElementById('task')?.focus());
}

function TaskLink({ task, isChosen }: { task: TaskSummary; isChosen: boolean }) {
  const { id, server, client, startMs, endMs, statusMessage, failure } = task;
  const { word, tone } = outcomeOf(task);
  return (
    <li>
      <a
        href={addressOf('tasks', { task: id })}
        aria-current={isChosen ? 'true' : undefined}
        onClick={(event) => {
          if (!event.ctrlKey && !event.metaKey && !event.shiftKey) focusTask();
        }}
      >
        <span className="offer-name cut">{visibleLine(nameOf(task))}</span>
        <span className={`outcome ${tone}`}>{word}</span>
        <span className="task-source">
          <ServerChip name={server} />
          {client !== undefined && <ServerChip name={client} />}
        </span>
        <span className="task-time">
          {clockTime(wallTime(startMs)).slice(0, 8)} {endMs === undefined ? '' : latency(endMs - startMs)}
        </span>
        <span className="offer-about">{visibleLine(failure ?? statusMessage ?? '')}</span>
      </a>
    </li>
  );
}

function textOf({ taskId, tool, server, client, status, statusMessage, failure }: TaskSummary): string {
  return [taskId, tool, server, client, status.replace('_', ' '), statusMessage, failure].filter(Boolean).join(' ');
}
