// Checks whether a client can be asked a question, by its declared capabilities and its revision.

import { has } from './revisions.ts';
import type { ClientFacts } from './service.ts';
import type { ClientCapabilities, InputRequest } from './types.ts';

export type AskedClient = Pick<ClientFacts, 'capabilities' | 'revision'>;

/** The capability that the client lacks, if any. */
export function missingFor({ method, params }: InputRequest, client: AskedClient): ClientCapabilities | undefined {
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

/** `{}` means forms only, in every revision that has elicitation. */
function canElicit({ capabilities, revision }: AskedClient, mode: string): boolean {
  const { elicitation } = capabilities;
  if (!elicitation || !has(revision, 'elicitation')) return false;
  if (mode === 'form') return elicitation.form !== undefined || elicitation.url === undefined;
  return mode === 'url' && elicitation.url !== undefined && has(revision, 'urlElicitation');
}
