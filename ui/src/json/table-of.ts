// A list of objects as a table: one column for each member. A single list inside an object counts, as in `{ "items": […] }`.

import { entriesOf, WrittenNumber } from './exact-json.ts';

export interface Table {
  columns: readonly string[];
  rows: readonly ReadonlyMap<string, unknown>[];
  /** The member that holds the list, if it is inside an object. */
  of: string | undefined;
}

const MAX_COLUMNS = 30;

/** Undefined if the value is not such a list, or if it has too many different members to be read as a table. */
export function tableOf(value: unknown): Table | undefined {
  if (Array.isArray(value)) return tableOfList(value, undefined);
  if (!isObject(value)) return undefined;
  const lists = entriesOf(value).filter(([, member]) => Array.isArray(member));
  const [first] = lists;
  if (!first || lists.length > 1 || entriesOf(value).some(([, member]) => isObject(member))) return undefined;
  return tableOfList(first[1] as unknown[], first[0]);
}

function tableOfList(list: readonly unknown[], of: string | undefined): Table | undefined {
  if (list.length === 0 || !list.every(isObject)) return undefined;
  const rows = list.map((item) => new Map(entriesOf(item)));
  const columns = new Set<string>();
  for (const row of rows) for (const name of row.keys()) columns.add(name);
  if (columns.size === 0 || columns.size > MAX_COLUMNS) return undefined;
  return { columns: [...columns], rows, of };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);
}
