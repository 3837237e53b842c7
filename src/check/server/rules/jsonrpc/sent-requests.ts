// The ids that were sent to a process, for rules that compare them with its answers.

import { isObject } from '../../../../base/json-object.ts';
import type { Probe } from '../../probe.ts';

export interface SentIds {
  /** How many requests had this id, by its JSON. */
  readonly counts: ReadonlyMap<string, number>;
  /** Lines that are not JSON. A server may find an id in them. */
  readonly broken: string;
}

export function sentIds({ transcript }: Probe): SentIds {
  const counts = new Map<string, number>();
  let broken = '';
  const sent = Buffer.concat(transcript.entries.filter(({ kind }) => kind === 'sent').map(({ bytes }) => bytes));
  for (const line of sent.toString('utf8').split(/\r?\n/)) {
    const messages = parsed(line);
    if (messages === undefined) broken += `${line}\n`;
    for (const message of [messages].flat()) {
      if (!isObject(message) || 'result' in message || 'error' in message) continue;
      const id = JSON.stringify(message.id) ?? 'null';
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return { counts, broken };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
