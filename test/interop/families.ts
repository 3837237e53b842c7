// The families of methods that the matrix is about, and what can be found out about one.

export const families = [
  'connect',
  'tools',
  'tool error',
  'structured output',
  'resources',
  'subscriptions',
  'prompts',
  'completion',
  'logging',
  'progress',
  'cancellation',
  'list changed',
  'pagination',
  'elicitation',
  'sampling',
  'roots',
  'ping',
] as const;

export type Family = (typeof families)[number];

/** It works; it is not there, for this reason; or it does not work, for that one. */
export type Outcome = { kind: 'works' } | { kind: 'absent' | 'fails'; why: string };

/** What a check returns when there is nothing to check. It must have made sure of that. */
export class Absent {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

export async function outcomeOf(check: () => Promise<Absent | undefined>): Promise<Outcome> {
  try {
    const absent = await check();
    return absent ? { kind: 'absent', why: absent.why } : { kind: 'works' };
  } catch (error) {
    return { kind: 'fails', why: (error instanceof Error ? error.message : String(error)).split('\n')[0]! };
  }
}
