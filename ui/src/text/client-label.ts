// A client as people know it: what it calls itself, and its number.

import type { ClientSummary } from '../../../src/app/inspector/api.ts';

/** `client 3` is `cursor (3)` once it has said so. */
export function labelOf(name: string, client: ClientSummary | undefined): string {
  return client?.name === undefined ? name : `${client.name} (${name.replace(/^client /, '')})`;
}
