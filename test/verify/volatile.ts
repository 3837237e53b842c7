// A recording of a server whose answers have values that vary.

import type { Client } from '../../src/mcp/client/client.ts';
import type { Revision } from '../../src/mcp/revisions.ts';
import { recorded, replayFixture } from '../replay/recorded.ts';

const textOf = (result: { content: unknown[] }) => (result.content as { text: string }[])[0]!.text;

export async function useVolatile(client: Client): Promise<void> {
  await client.listTools();
  await client.listPrompts();
  await client.listResources();
  await client.callTool('forecast', { city: 'Oslo' });
  for (const tool of ['now', 'tags', 'record', 'steady', 'broken', 'last', 'ask']) await client.callTool(tool, {});
  const created = textOf(await client.callTool('create', { title: 'Shopping' }));
  await client.callTool('note', { id: /note-\w+/.exec(created)![0] });
  await client.getPrompt('greet', { who: 'Ada' });
  await client.readResource('mem://readme');
}

/** The command of the server, with one change. */
export const volatile = (change?: string) => [process.execPath, replayFixture('volatile'), ...(change ? [change] : [])];

export function recordedVolatile(revision?: Revision): Promise<string> {
  return recorded(volatile(), useVolatile, [], {
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    ...(revision && { revision }),
  });
}
