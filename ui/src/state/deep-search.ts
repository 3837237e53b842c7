// Searches whole messages for the text of the filter, not only the text in the rows. The backend searches in parts, from the oldest
// event to the newest, and later the new events. Results stay when the backend disconnects.

import { ApiFailure, api } from '../api/request.ts';
import { Cell } from './cell.ts';
import { arrivals, connection, wireRows } from './inspected.ts';

/** Delay after the last typed letter. */
const TYPING_MS = 150;
/** Interval of searches in new events. */
const REST_MS = 300;

type State = 'idle' | 'looking' | 'failed';

/** `failed`: some messages could not be searched. */
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

/** The timer stays set while this runs, so that only one search runs at a time. */
async function look(signal: AbortSignal): Promise<void> {
  let end: State = 'idle';
  try {
    await lookThrough(signal);
  } catch (error) {
    end = 'failed';
    if (!signal.aborted && !(error instanceof ApiFailure)) reportError(error);
  }
  if (signal.aborted) return; // a newer search has replaced this one
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
