// The label of a client: its own name and its number.

import type { ClientSummary } from '../../../src/app/inspector/api.ts';

/** `client 3` becomes `cursor (3)` when its name is known. */
export function labelOf(name: string, client: ClientSummary | undefined): string {
  return client?.name === undefined ? name : `${client.name} (${name.replace(/^client /, '')})`;
}
