// The filters of the Wire and of `standpipe show`.

export const groups = ['request', 'answer', 'notification', 'noise', 'fault', 'stderr', 'http', 'lifecycle'] as const;
export type Group = (typeof groups)[number];

/** Members that are empty, false or 0 select everything. */
export interface EventFilter {
  server: string;
  /** Selects messages from this client, and messages of servers on its behalf. */
  client: string;
  method: string;
  errorsOnly: boolean;
  slowerThanMs: number;
  text: string;
}

/** The group of an event by its kind and, for a frame, the type of its message. */
export function groupOf(kind: string, type: string | undefined): Group {
  if (kind === 'stderr' || kind === 'http') return kind;
  if (kind === 'fault' || kind === 'error' || type === 'invalid') return 'fault';
  if (kind !== 'frame') return 'lifecycle';
  if (type === 'noise') return 'noise';
  if (type === 'response' || type === 'answers') return 'answer';
  return type === 'notification' ? 'notification' : 'request';
}

/** Whether the filter "errors" selects an event. */
export function isTroubleIn(group: Group, hasError: boolean): boolean {
  return hasError || group === 'noise' || group === 'fault';
}
