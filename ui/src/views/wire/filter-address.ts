// A filter as parameters of the address, and back.

import { directions } from '../../state/event-columns.ts';
import { type Group, groups, type WireFilter } from '../../state/wire-filter.ts';

export function filterFrom(params: Readonly<Record<string, string>>): WireFilter {
  const direction = params.direction;
  return {
    server: params.server ?? '',
    client: params.client ?? '',
    method: params.method ?? '',
    direction: directions.find((one) => one === direction) ?? '',
    groups: (params.kinds ?? '').split(',').filter((one): one is Group => groups.includes(one as Group)),
    errorsOnly: params.errors === '1',
    slowerThanMs: Math.max(0, Number(params.slower) || 0),
    task: Math.max(0, Math.floor(Number(params.task)) || 0),
    hidesLists: params.lists === '0',
    text: params.q ?? '',
  };
}

export function paramsOf(filter: WireFilter): Record<string, string | undefined> {
  return {
    server: filter.server,
    client: filter.client,
    method: filter.method,
    direction: filter.direction,
    kinds: filter.groups.join(','),
    errors: filter.errorsOnly ? '1' : '',
    slower: filter.slowerThanMs > 0 ? String(filter.slowerThanMs) : '',
    task: filter.task > 0 ? String(filter.task) : '',
    lists: filter.hidesLists ? '0' : '',
    q: filter.text,
  };
}

export function isFiltering(filter: WireFilter): boolean {
  return Object.values(paramsOf(filter)).some((value) => value !== '');
}
