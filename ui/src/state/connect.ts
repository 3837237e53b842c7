// Connects the page to its backend: loads the overview and the rows page by page, then follows live events. After a disconnect, it
// retries with growing delays and continues after the last known row.

import type { ClientSummary, EventRow, InspectedServer } from '../../../src/app/inspector/api.ts';
import { followLive, type LiveHandlers } from '../api/live-feed.ts';
import { ApiFailure, api } from '../api/request.ts';
import { serverColour } from '../parts/server-colour.ts';
import { loadCalls, putCall } from './calls.ts';
import { isHidden, type RowUpdate } from './event-columns.ts';
import * as inspected from './inspected.ts';
import { nextTask } from './next-task.ts';
import { dropQuestion, putQuestion, putTaskQuestions } from './questions.ts';
import { loadSubscriptions, putSubscription } from './subscriptions.ts';
import { loadTasks, putTask } from './tasks.ts';

const PAGE_ROWS = 2_000;
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];

export async function connect(): Promise<never> {
  for (let failures = 0; ; failures++) {
    try {
      await catchUp();
      await followLive(inspected.columns.newestSeq, handlers, () => {
        failures = 0;
        inspected.connection.set(inspected.source.read()?.live === false ? { state: 'complete' } : { state: 'live' });
      });
      throw new ApiFailure('gone', 'The connection was closed.');
    } catch (error) {
      const refused = error instanceof ApiFailure && error.kind === 'refused';
      const now = inspected.connection.read();
      if (refused) inspected.connection.set({ state: 'refused' });
      else if (now.state !== 'gone') inspected.connection.set({ state: 'gone', sinceMs: Date.now() });
      if (!(error instanceof ApiFailure)) console.error(error);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]));
  }
}

async function catchUp(): Promise<void> {
  const overview = await api.overview();
  const known = inspected.source.read();
  // Another run at the same address starts its sequence numbers again, so the page is reloaded.
  if (known && known.startedAt !== overview.source.startedAt) location.reload();
  inspected.source.set(overview.source);
  inspected.canAct.set(overview.canAct);
  inspected.droppedByStore.set(overview.dropped);
  putServers(overview.servers);
  putClients(overview.clients);
  inspected.problems.set(overview.problems);
  if (overview.canAct) await loadCalls();
  if (overview.canAct) await loadSubscriptions();
  await loadTasks();
  await loadRows();
}

async function loadRows(): Promise<void> {
  for (;;) {
    const { rows, updates, newest } = await api.events(inspected.columns.newestSeq, PAGE_ROWS);
    addRows(rows);
    if (updates) applyUpdates(updates);
    if (rows.length === 0 || inspected.columns.newestSeq >= newest) return;
    inspected.connection.set({ state: 'loading', loaded: inspected.columns.newestSeq, total: newest });
    await nextTask();
  }
}

function addRows(rows: readonly EventRow[]): void {
  if (rows.length === 0) return;
  const { columns, wireRows, arrivals } = inspected;
  columns.append(rows);
  const gone = columns.trim();
  if (gone > 0) wireRows.shift(gone);
  else wireRows.grow();
  const count = { ...arrivals.read() };
  for (const row of rows) {
    if (!isHidden(row.kind)) count.rows++;
    if (row.kind === 'stderr') count.stderr++;
    else if (row.type === 'response' || row.type === 'answers') count.answers++;
    else if (row.type === 'notification' && row.method?.endsWith('/list_changed')) count.lists++;
  }
  arrivals.set(count);
}

function applyUpdates(updates: readonly RowUpdate[]): void {
  inspected.wireRows.revisit(updates.flatMap((update) => inspected.columns.update(update)));
}

function putServers(servers: InspectedServer[]): void {
  inspected.serversAtMs.set(performance.now());
  for (const { name } of servers) serverColour(name); // fixes the order of colours, whichever view is shown first
  inspected.servers.set(servers);
}

function putClients(list: ClientSummary[]): void {
  inspected.clients.set(new Map(list.map((client) => [client.client, client])));
}

const handlers: LiveHandlers = {
  rows: addRows,
  updates: applyUpdates,
  servers: putServers,
  clients: putClients,
  problems: (problems) => inspected.problems.set(problems),
  call: (call) => {
    putCall(call);
    putTaskQuestions(call);
  },
  task: putTask,
  subscription: putSubscription,
  question: putQuestion,
  answered: ({ id }) => dropQuestion(id),
  fleet: (status) => inspected.fleet.set(status),
};
