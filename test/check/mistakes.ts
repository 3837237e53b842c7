// The servers that make one mistake each, and how they are started.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckServerOptions } from '../../src/check/server/check-server.ts';
import type { Revision } from '../../src/mcp/revisions.ts';

interface Mistake {
  breaks: string;
  revision?: Revision;
}

const fixtures = join(import.meta.dirname, '../fixtures/check');

export const correctServer = {
  command: process.execPath,
  args: [join(fixtures, 'server.mjs')],
  longCall: { name: 'wait' },
  allowCalls: [{ name: 'change' }],
} satisfies CheckServerOptions;

export const mistakes = (
  await Promise.all(
    readdirSync(join(fixtures, 'wrong')).map(async (file) => {
      const { default: table }: { default: Record<string, Mistake> } = await import(join(fixtures, 'wrong', file));
      return Object.entries(table).map(([name, mistake]) => ({ name, file: file.replace('.mjs', ''), ...mistake }));
    }),
  )
).flat();

/** In the revision of the mistake. */
export function wrongServer(name: string, file: string, revision: Revision = '2025-11-25') {
  return { ...correctServer, args: [...correctServer.args, name, file], revisions: [revision] };
}

const { default: liteTable }: { default: Record<string, { breaks: string }> } = await import(
  join(fixtures, 'litemcp/wrong-servers.mjs')
);

export const liteMistakes = Object.entries(liteTable).map(([name, { breaks }]) => ({ name, breaks }));

export function liteServer(name: string) {
  return {
    command: process.execPath,
    args: [join(fixtures, 'litemcp/server.mjs'), name],
    allowCalls: [{ name: 'Calculator' }],
  };
}
