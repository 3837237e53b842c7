// The address of the current view: `#/view?name=value…`. Every view, filter and event has an address, so the history works.

import { Cell, useCell } from './state/cell.ts';

export const views = [
  ...([
    'servers',
    'wire',
    'tools',
    'resources',
    'prompts',
    'tasks',
    'latency',
    'stderr',
    'problems',
    'clients',
    'fleet',
    'logs',
  ] as const),
];
export type View = (typeof views)[number];

export interface Route {
  view: View;
  params: Readonly<Record<string, string>>;
  /** The name in the address, if no view has it. */
  unknown?: string;
}

const lastOfView = new Map<View, string>();

function readHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const found = views.find((one) => one === path);
  const unknown = found || path === '' ? {} : { unknown: path };
  return { view: found ?? 'servers', params: Object.fromEntries(new URLSearchParams(query)), ...unknown };
}

const route = new Cell<Route>(readHash(location.hash));

addEventListener('hashchange', () => route.set(readHash(location.hash)));
route.watch(() => lastOfView.set(route.read().view, addressOf(route.read().view, route.read().params)));

export function addressOf(view: View, params: Record<string, string | number | undefined> = {}): string {
  const given = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return query === '' ? `#/${view}` : `#/${view}?${query}`;
}

/** The address of a view when it was last left. */
export function lastAddressOf(view: View): string {
  return lastOfView.get(view) ?? addressOf(view);
}

export function goTo(address: string): void {
  location.hash = address;
}

/** Changes the address without adding a history entry. */
export function replaceParams(params: Record<string, string | number | undefined>): void {
  const { view } = route.read();
  const address = addressOf(view, params);
  if (address === location.hash) return;
  history.replaceState(history.state, '', address);
  route.set(readHash(address));
}

export const readRoute = route.read;

export function useRoute(): Route {
  return useCell(route);
}
