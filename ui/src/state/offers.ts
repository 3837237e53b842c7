// Tools, resources and prompts of each server. Loaded when a view needs them, and again after a restart or an announced list change.

import { useEffect } from 'react';
import type { ServerOffer } from '../../../src/app/inspector/api.ts';
import { api } from '../api/request.ts';
import { Cell, useCell } from './cell.ts';
import { arrivals, servers } from './inspected.ts';

export type Offer =
  | { state: 'loading' }
  | { state: 'failed'; message: string }
  | { state: 'known'; offer: ServerOffer };

export const offers = new Cell<Readonly<Record<string, Offer>>>({});

/** The process of each server and the number of its list changes at the last request. */
const asked = new Map<string, string>();

export async function loadOffer(server: string): Promise<void> {
  const put = (offer: Offer) => offers.update((known) => ({ ...known, [server]: offer }));
  if (offers.read()[server]?.state !== 'known') put({ state: 'loading' });
  try {
    put({ state: 'known', offer: await api.offer(server) });
  } catch (error) {
    asked.delete(server);
    put({ state: 'failed', message: (error as Error).message });
  }
}

/** The offers of all servers that can be read without starting a process. */
export function useOffers(): Readonly<Record<string, Offer>> {
  const known = useCell(offers);
  const all = useCell(servers);
  const { lists } = useCell(arrivals);
  const ready = all
    // A server that can only be watched has recorded lists.
    .filter(({ status }) => status === undefined || status.state === 'ready')
    .map(({ name, status, lives }) => `${name}\n${status?.pid ?? `run ${lives.length}`}`)
    .join('\t');
  useEffect(() => {
    for (const entry of ready ? ready.split('\t') : []) {
      const name = entry.split('\n')[0]!;
      // Requests appear on the wire, so they are sent only after a change.
      if (asked.get(name) === `${entry}\n${lists}`) continue;
      asked.set(name, `${entry}\n${lists}`);
      void loadOffer(name);
    }
  }, [ready, lists]);
  return known;
}
