// Checks of the features of server-filesystem with our client. It has tools, and works in the client's roots.

import { expect } from 'vitest';
import { until } from '../fixtures/server.ts';
import type { AnyClient } from './any-client.ts';
import { Absent } from './families.ts';
import { type Checks, NOT_IN_REVISION, textOf } from './standard-checks.ts';
import { toolServerChecks } from './tool-server-checks.ts';

/** `folder`: the root that the client declares, with a file hello.txt. */
export function filesystemChecks(folder: string): Checks {
  return {
    ...toolServerChecks('list_allowed_directories'),

    async connect(client) {
      expect(client.name).toBe('secure-filesystem-server');
      return undefined;
    },

    async roots(client) {
      await inRoots(client, folder);
      expect(client.asked).toContain('roots/list');
      await client.notifyRootsChanged();
      await until('they are requested again', () => client.asked.length > 1);
      return undefined;
    },

    async tools(client) {
      expect((await client.listTools()).map(({ name }) => name)).toContain('write_file');
      await inRoots(client, folder);
      const content = 'grüße 🙂\n'.repeat(10_000);
      await client.callTool('write_file', { path: `${folder}/${client.revision}.txt`, content });
      const read = await client.callTool('read_text_file', { path: `${folder}/${client.revision}.txt` });
      expect(textOf(read) === content).toBe(true);
      return undefined;
    },

    async 'tool error'(client) {
      expect(await client.callTool('read_text_file', { path: `${folder}/missing` })).toMatchObject({ isError: true });
      expect(await client.callTool('read_text_file', {})).toMatchObject({ isError: true });
      return undefined;
    },

    async 'structured output'(client) {
      await inRoots(client, folder);
      const { structuredContent } = await client.callTool('read_text_file', { path: `${folder}/hello.txt` });
      if (client.revision < '2025-06-18') return new Absent(NOT_IN_REVISION);
      expect(structuredContent).toEqual({ content: 'hello' });
      return undefined;
    },
  };
}

/** The server starts with other folders and requests the roots later. */
function inRoots(client: AnyClient, folder: string): Promise<void> {
  return until('the server knows the roots', async () =>
    textOf(await client.callTool('list_allowed_directories')).includes(folder),
  );
}
