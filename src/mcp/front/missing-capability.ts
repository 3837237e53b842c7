// What a client would have to be able to do, to be asked a question of a service.

import { has } from '../revisions.ts';
import type { ClientFacts } from '../service.ts';
import type { ClientCapabilities, InputRequest } from '../types.ts';

/** The capability that the client lacks, if it lacks one. */
export function missingFor({ method, params }: InputRequest, client: ClientFacts): ClientCapabilities | undefined {
  const { capabilities, revision } = client;
  if (method === 'elicitation/create') {
    const mode = params.mode ?? 'form';
    return canElicit(client, mode) ? undefined : { elicitation: { [mode]: {} } };
  }
  if (method === 'sampling/createMessage') {
    const { sampling } = capabilities;
    if (params.tools === undefined && params.toolChoice === undefined) return sampling ? undefined : { sampling: {} };
    return sampling?.tools && has(revision, 'samplingTools') ? undefined : { sampling: { tools: {} } };
  }
  return method !== 'roots/list' || capabilities.roots ? undefined : { roots: {} };
}

/** `{}` means forms alone, in every revision that has elicitation. */
function canElicit({ capabilities, revision }: ClientFacts, mode: 'form' | 'url'): boolean {
  const { elicitation } = capabilities;
  if (!elicitation || !has(revision, 'elicitation')) return false;
  if (mode === 'url') return elicitation.url !== undefined && has(revision, 'urlElicitation');
  return elicitation.form !== undefined || elicitation.url === undefined;
}
