// The rows of the matrix: every pair of a client and a server, in every revision that both support.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { legacyRevisions, modernRevisions, type Revision } from '../../src/mcp/revisions.ts';
import type { Root } from '../../src/mcp/types.ts';
import {
  type Served,
  serveOfficial1,
  serveOfficial1Sse,
  serveOfficial2,
  serveOurs,
} from '../fixtures/interop/serve.mjs';
import type { AnyClient } from './any-client.ts';
import { everythingChecks } from './everything-checks.ts';
import { filesystemChecks } from './filesystem-checks.ts';
import { memoryChecks } from './memory-checks.ts';
import { connectOfficial1 } from './official-1-client.ts';
import { connectOfficial2 } from './official-2-client.ts';
import { connectOurs, type ServerAddress, type ServerCommand, type ServerTarget } from './our-client.ts';
import { type Checks, standardChecks } from './standard-checks.ts';
import { readWireRecords, type WireRecord } from './wire-record.ts';

export interface Row {
  /** The end that is ours. */
  ours: WireRecord['from'];
  over: 'stdio' | 'HTTP';
  peer: string;
  revision: Revision;
  open(): Promise<AnyClient>;
  checks: Checks;
}

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/interop/${name}.mjs`, import.meta.url));
const node = (...args: string[]): ServerCommand => ({ command: process.execPath, args });

/** `folder`: an empty folder for the data of servers and the messages of their pipes. */
export function makeRows(folder: string): Row[] {
  const every = [...modernRevisions, ...legacyRevisions];
  const root: Root = { uri: pathToFileURL(folder).href, name: 'here' };
  // Each revision has its own file, because rows run concurrently.
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
    ...overHttp(),
  ];
}

/** Streamable HTTP is part of 2025-03-26 and later; 2024-11-05 has HTTP+SSE. */
function overHttp(): Row[] {
  const sessions = legacyRevisions.filter((revision) => revision >= '2025-03-26');
  const every = [...modernRevisions, ...sessions];
  const official2 = (revision: Revision) => serveOfficial2(revision >= '2026-07-28' ? 'modern' : 'legacy');
  const [sdk, server, client] = [version('sdk'), version('server'), version('client')];
  return [
    ...httpRows('client', `official server ${server}`, every, official2, connectOurs),
    ...httpRows('client', `official server ${sdk}`, sessions, serveOfficial1, connectOurs),
    ...httpRows('client', `official server ${sdk}, HTTP+SSE`, ['2024-11-05'], serveOfficial1Sse, connectOurs, 'sse'),
    ...httpRows('client', 'our server', every, serveOurs, connectOurs),
    ...httpRows('client', 'our server, HTTP+SSE', ['2024-11-05'], serveOurs, connectOurs, 'sse'),
    ...httpRows('server', `official client ${client}`, every, serveOurs, connectOfficial2),
    ...httpRows('server', `official client ${sdk}`, sessions, serveOurs, connectOfficial1),
    ...httpRows('server', `official client ${sdk}, HTTP+SSE`, ['2024-11-05'], serveOurs, connectOfficial1, 'sse'),
  ];
}

function httpRows(
  ours: Row['ours'],
  peer: string,
  revisions: readonly Revision[],
  serve: (revision: Revision) => Promise<Served>,
  connect: Connect | typeof connectOurs,
  transport: ServerAddress['transport'] = 'http',
): Row[] {
  return revisions.map((revision) => ({
    ours,
    over: 'HTTP',
    peer,
    revision,
    checks: standardChecks,
    async open() {
      const { url, close, wire } = await serve(revision);
      const target = { url, transport };
      const client =
        connect === connectOurs
          ? await connectOurs(target, revision === revisions[0] && transport === 'http' ? undefined : revision)
          : await (connect as Connect)(target, revision, wire!);
      return { ...client, close: () => client.close().finally(close) };
    },
  }));
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
    over: 'stdio',
    peer,
    revision,
    checks,
    // Our client detects the newest revision by itself.
    open: () => connectOurs(commandFor(revision), revision === revisions[0] ? undefined : revision, roots),
  }));
}

type Connect = (target: ServerTarget, revision: string, wire: () => WireRecord[]) => Promise<AnyClient>;

function withOurServer(peer: string, revisions: readonly Revision[], connect: Connect, folder: string): Row[] {
  return revisions.map((revision) => {
    const logFile = join(folder, `${peer} ${revision}.jsonl`);
    return {
      ours: 'server',
      over: 'stdio',
      peer,
      revision,
      checks: standardChecks,
      open: () => connect(node(fixture('our-server'), logFile), revision, () => readWireRecords(logFile)),
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
