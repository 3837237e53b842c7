// The filter of the timeline. It is plain data that can be part of an address. Compiled, it tests one row, numbers first and text
// last.

import {
  type EventFilter,
  type Group,
  groupOf,
  groups,
  isTroubleIn,
} from '../../../src/observe/analysis/wire-filter.ts';
import { directions, type EventColumns, kinds, origins, types } from './event-columns.ts';

export { type Group, groupOf, groups };

export interface WireFilter extends EventFilter {
  direction: '' | (typeof directions)[number];
  /** The shown groups; empty for all groups. */
  groups: Group[];
  /** The number of a task: selects its messages. 0: all messages. */
  task: number;
  /** Whether lists that the page and its host read by themselves are left out. */
  hidesLists: boolean;
}

/** Whether the rows of a task are folded: if the filter looks for messages, each match is shown. */
export function folds({
  method,
  direction,
  groups: chosen,
  errorsOnly,
  slowerThanMs,
  task,
  text,
}: WireFilter): boolean {
  return (
    [method, direction, text].every((each) => each.trim() === '') &&
    !errorsOnly &&
    slowerThanMs + task + chosen.length === 0
  );
}

export const noFilter: WireFilter = {
  server: '',
  client: '',
  method: '',
  direction: '',
  groups: [],
  errorsOnly: false,
  slowerThanMs: 0,
  task: 0,
  hidesLists: false,
  text: '',
};

/** Group index by the codes of kind and type. */
const groupByCode = kinds.map((kind) => [undefined, ...types].map((type) => groups.indexOf(groupOf(kind, type))));

export function groupNumber(columns: EventColumns, index: number): number {
  return groupByCode[columns.codes.kind[index]! - 1]?.[columns.codes.type[index]!] ?? groups.length - 1;
}

export function isTrouble(columns: EventColumns, index: number): boolean {
  return isTroubleIn(groups[groupNumber(columns, index)]!, columns.names.error[index] !== 0);
}

const listsCode = origins.indexOf('lists') + 1;

/** `holdsText`: whether the event is known to contain the text of the filter outside its row. */
export function compileFilter(
  filter: WireFilter,
  columns: EventColumns,
  holdsText: (seq: number) => boolean = () => false,
): (index: number) => boolean {
  const server = filter.server ? columns.servers.number(filter.server) : 0;
  const method = filter.method ? columns.methods.number(filter.method) : 0;
  const client = filter.client ? columns.servers.number(filter.client) : 0;
  const direction = filter.direction ? directions.indexOf(filter.direction) + 1 : 0;
  const wanted = groups.map((group) => filter.groups.length === 0 || filter.groups.includes(group));
  const everyGroup = filter.groups.length === 0;
  const hasText = textTest(filter.text, columns);
  return (index) => {
    if (columns.isHidden(index)) return false;
    if (filter.task !== 0 && columns.numbers.task[index] !== filter.task) return false;
    if (filter.hidesLists && columns.codes.origin[index] === listsCode) return false;
    if (client !== 0 && columns.names.client[index] !== client) return false;
    if (server !== 0 && columns.names.server[index] !== server) return false;
    if (method !== 0 && !hasMethod(columns, index, method, filter.method)) return false;
    if (direction !== 0 && columns.codes.direction[index] !== direction) return false;
    if (!everyGroup && !wanted[groupNumber(columns, index)]) return false;
    if (filter.slowerThanMs > 0 && !(columns.numbers.latencyMs[index]! >= filter.slowerThanMs)) return false;
    if (filter.errorsOnly && !isTrouble(columns, index)) return false;
    return hasText === undefined || holdsText(columns.numbers.seq[index]!) || hasText(index);
  };
}

const batchCodes = [types.indexOf('batch') + 1, types.indexOf('answers') + 1];

/** A response has the method of its request. The summary of a batch names its methods. */
function hasMethod(columns: EventColumns, index: number, method: number, name: string): boolean {
  if (columns.names.method[index] === method) return true;
  if (columns.names.method[index] !== 0) return false;
  if (batchCodes.includes(columns.codes.type[index]!)) return columns.summaries[index]!.split(/,?\s+/).includes(name);
  const pair = columns.numbers.pairSeq[index]!;
  if (pair < 0) return false;
  const at = columns.indexOf(pair);
  return at >= 0 && columns.names.method[at] === method;
}

function textTest(text: string, columns: EventColumns): ((index: number) => boolean) | undefined {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return undefined;
  const has = (value: string | undefined) => value?.toLowerCase().includes(wanted) === true;
  const seen = new Map<string, boolean>();
  const nameHas = (name: string | undefined) => {
    if (name === undefined) return false;
    let answer = seen.get(name);
    if (answer === undefined) {
      answer = has(name);
      seen.set(name, answer);
    }
    return answer;
  };
  const { servers, methods, tools, errors } = columns;
  return (index) => {
    const { names } = columns;
    return (
      nameHas(methods.name(names.method[index]!)) ||
      nameHas(tools.name(names.tool[index]!)) ||
      nameHas(servers.name(names.server[index]!)) ||
      nameHas(errors.name(names.error[index]!)) ||
      String(columns.ids[index] ?? '').toLowerCase() === wanted ||
      has(columns.summaries[index])
    );
  };
}
