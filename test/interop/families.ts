// The families of methods in the matrix, and the possible outcomes of each.

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

/** It works, it is absent for a reason, or it fails for a reason. */
export type Outcome = { kind: 'works' } | { kind: 'absent' | 'fails'; why: string };

/** Returned by a check that has made sure that the feature is absent. */
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
