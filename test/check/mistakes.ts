// Servers that make one mistake each, and the options to start them.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckServerOptions } from '../../src/check/server/check-server.ts';
import type { Revision } from '../../src/mcp/revisions.ts';

interface Mistake {
  breaks: string;
  revision?: Revision;
}

type Table<T> = Record<string, T>;

const fixtures = join(import.meta.dirname, '../fixtures/check');

const command = process.execPath;
const program = join(fixtures, 'server.mjs');

/** Calls of tools that the correct server of a family has. */
function callsOf(family = ''): Pick<CheckServerOptions, 'longCall' | 'allowCalls'> {
  if (family === 'apps' || family === 'skills') return {};
  return { longCall: { name: 'wait' }, ...(family !== 'tasks' && { allowCalls: [{ name: 'change' }] }) };
}

/** Correct servers: each rule applies to at least one of them. */
export const correctServers: CheckServerOptions[] = [
  { command, args: [program], ...callsOf() },
  ...['tasks', 'apps', 'skills'].map((family) => ({ command, args: [program, 'none', family], ...callsOf(family) })),
];

const files: { file: string; wrong: Table<Mistake>; right?: Table<Pick<Mistake, 'revision'>> }[] = await Promise.all(
  readdirSync(join(fixtures, 'wrong')).map(async (file) => {
    const { default: wrong, right } = await import(join(fixtures, 'wrong', file));
    return { file: file.replace('.mjs', ''), wrong, right };
  }),
);

export const mistakes = files.flatMap(({ file, wrong }) => named(file, wrong));

/** Servers that differ from the correct ones and follow the specification. */
export const rightServers = files.flatMap(({ file, right = {} }) => named(file, right));

function named<T>(file: string, table: Table<T>) {
  return Object.entries(table).map(([name, server]) => ({ name, file, ...server }));
}

/** Options for a server with this mistake, in the revision of the mistake. */
export function wrongServer(name: string, file: string, revision: Revision = '2025-11-25') {
  return { command, args: [program, name, file], revisions: [revision], ...callsOf(file.split('-')[0]) };
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
