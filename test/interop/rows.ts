// The rows of the matrix: every pair of a client and a server, in every revision that both know.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { legacyRevisions, modernRevisions, type Revision } from '../../src/mcp/revisions.ts';
import type { Root } from '../../src/mcp/types.ts';
import type { AnyClient } from './any-client.ts';
import { everythingChecks } from './everything-checks.ts';
import { filesystemChecks } from './filesystem-checks.ts';
import { memoryChecks } from './memory-checks.ts';
import { connectOfficial1 } from './official-1-client.ts';
import { connectOfficial2 } from './official-2-client.ts';
import { connectOurs, type ServerCommand } from './our-client.ts';
import { type Checks, standardChecks } from './standard-checks.ts';
import type { WireRecord } from './wire-record.ts';

export interface Row {
  /** Which end is ours. */
  ours: WireRecord['from'];
  peer: string;
  revision: Revision;
  open(): Promise<AnyClient>;
  checks: Checks;
}

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/interop/${name}.mjs`, import.meta.url));
const node = (...args: string[]): ServerCommand => ({ command: process.execPath, args });

/** `folder`: an empty one, for what servers keep and for what goes over their pipes. */
export function makeRows(folder: string): Row[] {
  const every = [...modernRevisions, ...legacyRevisions];
  const root: Root = { uri: pathToFileURL(folder).href, name: 'here' };
  // Each has a file of its own: rows run at the same time.
  const memory = (revision: Revision) => ({
    ...node(installed('server-memory')),
    env: { MEMORY_FILE_PATH: join(folder, `memory ${revision}.jsonl`) },
  });
  return [
    ...withOurClient(`official server ${version('server')}`, every, node(fixture('official-2-server')), standardChecks),
    ...withOurClient(
      `official server ${version('sdk')}`,
      legacyRevisions,
      node(fixture('official-1-server')),
      standardChecks,
    ),
    ...withOurClient('server-everything', legacyRevisions, node(installed('server-everything')), everythingChecks),
    ...withOurClient(
      'server-filesystem',
      legacyRevisions,
      node(installed('server-filesystem'), dirname(fixture('content'))),
      filesystemChecks(folder),
      [root],
    ),
    ...withOurClient('server-memory', legacyRevisions, memory, memoryChecks),
    ...withOurClient('our server', every, node(fixture('our-server')), standardChecks),
    ...withOurServer(`official client ${version('client')}`, every, connectOfficial2, folder),
    ...withOurServer(`official client ${version('sdk')}`, legacyRevisions, connectOfficial1, folder),
  ];
}

function withOurClient(
  peer: string,
  revisions: readonly Revision[],
  command: ServerCommand | ((revision: Revision) => ServerCommand),
  checks: Checks,
  roots?: Root[],
): Row[] {
  const commandFor = typeof command === 'function' ? command : () => command;
  return revisions.map((revision) => ({
    ours: 'client',
    peer,
    revision,
    checks,
    // The newest is what it finds by itself.
    open: () => connectOurs(commandFor(revision), revision === revisions[0] ? undefined : revision, roots),
  }));
}

type Connect = (command: ServerCommand, revision: string, logFile: string) => Promise<AnyClient>;

function withOurServer(peer: string, revisions: readonly Revision[], connect: Connect, folder: string): Row[] {
  return revisions.map((revision) => {
    const logFile = join(folder, `${peer} ${revision}.jsonl`);
    return {
      ours: 'server',
      peer,
      revision,
      checks: standardChecks,
      open: () => connect(node(fixture('our-server'), logFile), revision, logFile),
    };
  });
}

const packages = new URL('../../node_modules/@modelcontextprotocol/', import.meta.url);

function manifest(name: string): { version: string; bin: Record<string, string> } {
  return JSON.parse(readFileSync(new URL(`${name}/package.json`, packages), 'utf8'));
}

function version(name: string): string {
  return manifest(name).version;
}

/** The program that a server's package installs. */
function installed(name: string): string {
  return fileURLToPath(new URL(`${name}/${Object.values(manifest(name).bin)[0]}`, packages));
}
