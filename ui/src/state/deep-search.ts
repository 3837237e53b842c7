// Looks for the text of the filter in all that was said, and not only in what the rows show: asks the backend part by part,
// from the oldest event on, and goes on when there are new ones. What was found stays when the backend goes.

import { ApiFailure, api } from '../api/request.ts';
import { Cell } from './cell.ts';
import { arrivals, connection, wireRows } from './inspected.ts';

/** Not every typed letter starts a search. */
const TYPING_MS = 150;
/** How often new events are searched. */
const REST_MS = 300;

type State = 'idle' | 'looking' | 'failed';

/** `failed`: not all that was said could be looked into. */
export const deepSearch = new Cell<State>('idle');

let wanted = '';
let searchedSeq = 0;
let stop = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;

export function searchFor(text: string): void {
  const trimmed = text.trim();
  if (trimmed === wanted) return;
  wanted = trimmed;
  searchedSeq = 0;
  stop.abort();
  stop = new AbortController();
  clearTimeout(timer);
  timer = undefined;
  deepSearch.set(wanted === '' ? 'idle' : 'looking');
  goOnIn(TYPING_MS);
}

arrivals.watch(() => goOnIn(REST_MS));
connection.watch(() => goOnIn(REST_MS));

function goOnIn(ms: number): void {
  if (wanted === '' || timer !== undefined) return;
  timer = setTimeout(() => void look(stop.signal), ms);
}

/** The timer is set as long as this runs: one at a time. */
async function look(signal: AbortSignal): Promise<void> {
  let end: State = 'idle';
  try {
    await lookThrough(signal);
  } catch (error) {
    end = 'failed';
    if (!signal.aborted && !(error instanceof ApiFailure)) reportError(error);
  }
  if (signal.aborted) return; // another has taken over
  deepSearch.set(end);
  timer = undefined;
}

async function lookThrough(signal: AbortSignal): Promise<void> {
  for (let more = true; more; ) {
    const page = await api.search(wanted, searchedSeq, signal);
    if (signal.aborted) return;
    wireRows.addHolders(page.found);
    more = page.searchedSeq > searchedSeq && page.searchedSeq < page.newest;
    searchedSeq = page.searchedSeq;
  }
}
