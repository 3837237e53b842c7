// Reads everything that a server offers. Unreadable parts are left out and reported.

import { toError } from '../../../base/errors.ts';
import { isNestedTooDeeply } from '../../../base/nesting.ts';
import type { ServerOffer } from '../api.ts';
import type { SourceHost } from '../sources/source.ts';

export async function readOffer(host: SourceHost, server: string): Promise<ServerOffer> {
  const errors: string[] = [];
  const tried = async <T>(ask: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      const result = await ask();
      if (!isNestedTooDeeply(result)) return result;
      errors.push('A part of the result is nested too deeply to be shown');
      return otherwise;
    } catch (error) {
      errors.push(toError(error).message);
      return otherwise;
    }
  };
  const found = host.find(server);
  const client = found.host.client(found.name);
  const [{ tools }, { resources }, { resourceTemplates }, { prompts }, { instructions }] = await Promise.all([
    tried(() => client.listTools(), { tools: [] }),
    tried(() => client.listResources(), { resources: [] }),
    tried(() => client.listResourceTemplates(), { resourceTemplates: [] }),
    tried(() => client.listPrompts(), { prompts: [] }),
    tried<{ instructions?: string | undefined }>(async () => client.service.describe(), {}),
  ]);
  // These requests may have started the server: its revision is known only now.
  const status = (await host.status()).find(({ name }) => name === server);
  return {
    tools,
    resources,
    resourceTemplates,
    prompts,
    instructions,
    revision: status?.revision ?? 'unknown',
    error: [...new Set(errors)].join('; ') || undefined,
  };
}
