// An answer with the id of its request as text. Standpipe accepts it; most other clients do not.

import type { SymptomFinding } from './symptoms.ts';

/** `id` is the id as received. */
export function idAsText(id: string): SymptomFinding {
  return {
    problem: `answers with the id as text (${JSON.stringify(id)} for ${id})`,
    fix: 'Copy the id of the request with its type.',
  };
}
