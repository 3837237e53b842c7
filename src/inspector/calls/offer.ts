// What a server offers, all of it at once. What it cannot say is left out, and said.

import { toError } from '../../base/errors.ts';
import { isNestedTooDeeply } from '../../base/nesting.ts';
import type { ServerOffer } from '../api.ts';
import type { SourceHost } from '../sources/source.ts';

export async function readOffer(host: SourceHost, server: string): Promise<ServerOffer> {
  const errors: string[] = [];
  const tried = async <T>(ask: () => Promise<T>, otherwise: T): Promise<T> => {
    try {
      const told = await ask();
      if (!isNestedTooDeeply(told)) return told;
      errors.push('A part of what it offers is nested too deeply to be shown');
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
  // It may have been started by the questions: only now its revision is known.
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
