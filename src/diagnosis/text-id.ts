// An answer with the id of its request as text. The client of Standpipe accepts it, most others do not.

import type { Finding } from './symptoms.ts';

/** `id`: as it was received. */
export function idAsText(id: string): Finding {
  return {
    problem: `answers with the id as text (${JSON.stringify(id)} for ${id})`,
    fix: 'Copy the id of the request with its type.',
  };
}
