// Keeps the page joined to its backend: asks what there is, reads the rows page by page, then follows them live; when the
// connection breaks, waits a little longer each time and goes on behind the last row it has.

import type { EventRow, InspectedServer } from '../../../src/inspector/api.ts';
import { followLive, type LiveHandlers } from '../api/live-feed.ts';
import { ApiFailure, api } from '../api/request.ts';
import { loadCalls, putCall } from './calls.ts';
import type { RowUpdate } from './event-columns.ts';
import { nextTask } from './next-task.ts';
import { dropQuestion, putQuestion } from './questions.ts';
import * as session from './session.ts';

const PAGE_ROWS = 2_000;
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];

export async function connect(): Promise<never> {
  for (let failures = 0; ; failures++) {
    try {
      await catchUp();
      await followLive(session.columns.newestSeq, handlers, () => {
        failures = 0;
        session.connection.set(session.source.read()?.live === false ? { state: 'complete' } : { state: 'live' });
      });
      throw new ApiFailure('gone', 'The connection was closed.');
    } catch (error) {
      const refused = error instanceof ApiFailure && error.kind === 'refused';
      const now = session.connection.read();
      if (refused) session.connection.set({ state: 'refused' });
      else if (now.state !== 'gone') session.connection.set({ state: 'gone', sinceMs: Date.now() });
      if (!(error instanceof ApiFailure)) console.error(error);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]));
  }
}

async function catchUp(): Promise<void> {
  const overview = await api.overview();
  const known = session.source.read();
  // Another run behind the same address: its numbers begin anew, and so does the page.
  if (known && known.startedAt !== overview.source.startedAt) location.reload();
  session.source.set(overview.source);
  session.canAct.set(overview.canAct);
  session.droppedByStore.set(overview.dropped);
  putServers(overview.servers);
  session.problems.set(overview.problems);
  if (overview.canAct) await loadCalls();
  await loadRows();
}

async function loadRows(): Promise<void> {
  for (;;) {
    const { rows, updates, newest } = await api.events(session.columns.newestSeq, PAGE_ROWS);
    addRows(rows);
    if (updates) applyUpdates(updates);
    if (rows.length === 0 || session.columns.newestSeq >= newest) return;
    session.connection.set({ state: 'loading', loaded: session.columns.newestSeq, total: newest });
    await nextTask();
  }
}

function addRows(rows: readonly EventRow[]): void {
  if (rows.length === 0) return;
  const { columns, wireRows, arrivals } = session;
  columns.append(rows);
  const gone = columns.trim();
  if (gone > 0) wireRows.shift(gone);
  else wireRows.grow();
  const count = { ...arrivals.read() };
  count.rows += rows.length;
  for (const row of rows) {
    if (row.kind === 'stderr') count.stderr++;
    else if (row.type === 'response') count.answers++;
    else if (row.type === 'notification' && row.method?.endsWith('/list_changed')) count.lists++;
  }
  arrivals.set(count);
}

function applyUpdates(updates: readonly RowUpdate[]): void {
  session.wireRows.revisit(updates.map((update) => session.columns.update(update)).filter((index) => index >= 0));
}

function putServers(servers: InspectedServer[]): void {
  session.serversAtMs.set(performance.now());
  session.servers.set(servers);
}

const handlers: LiveHandlers = {
  rows: addRows,
  updates: applyUpdates,
  servers: putServers,
  problems: (problems) => session.problems.set(problems),
  call: putCall,
  question: putQuestion,
  answered: ({ id }) => dropQuestion(id),
};
