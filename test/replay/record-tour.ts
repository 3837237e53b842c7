// Records a walk through a real server with an official client, through a tap.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program } from '../cli/run-cli.ts';
import { until } from '../fixtures/server.ts';
import { connectOfficial1 } from '../interop/official-1-client.ts';
import { connectOfficial2 } from '../interop/official-2-client.ts';
import type { ServerTarget } from '../interop/our-client.ts';
import { type Tour, walk } from './tour.ts';
import { folder } from './written-recording.ts';

export const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
export const installed = (name: string) => path(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
export const node = process.execPath;
export const NEWEST_OF_1 = '2025-11-25';
export const MODERN = '2026-07-28';

const connects = { 1: connectOfficial1, 2: connectOfficial2 };
export type Line = keyof typeof connects;

export interface Recorded {
  file: string;
  answers: unknown[];
}

let files = 0;

export const newFile = () => join(folder, `round-${++files}.jsonl`);

export async function walked(
  target: ServerTarget,
  line: Line,
  revision: string,
  tour: Tour,
  place: string,
): Promise<unknown[]> {
  const client = await connects[line](target, revision, () => []);
  try {
    return await walk(client, tour, place);
  } finally {
    await client.close();
  }
}

export async function recordStdio(
  command: string[],
  tour: Tour,
  place: string,
  line: Line,
  revision: string,
): Promise<Recorded> {
  const file = newFile();
  const args = [program, 'tap', '--record', file, '--', ...command];
  const env = { ...process.env, XDG_RUNTIME_DIR: folder, MEMORY_FILE_PATH: join(place, 'memory.jsonl') } as Record<
    string,
    string
  >;
  const answers = await walked({ command: node, args, env }, line, revision, tour, place);
  await until('the tap has written its last event', () => readFileSync(file, 'utf8').includes('"kind":"stop"'));
  return { file, answers };
}

export function freshFolder(): string {
  const place = join(folder, `place-${++files}`);
  mkdirSync(place);
  return place;
}

export const missing = (command: string) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status !== 0;

export const servers = {
  'server-everything': { tour: 'everything', command: () => [node, installed('everything'), 'stdio'] },
  'server-filesystem': { tour: 'filesystem', command: (place: string) => [node, installed('filesystem'), place] },
  'server-memory': { tour: 'memory', command: () => [node, installed('memory')] },
  'example in TypeScript': { tour: 'small', command: () => [node, path('examples/servers/typescript/server.mjs')] },
  'example in Python': { tour: 'small', command: () => ['python3', path('examples/servers/python/server.py')] },
  'example in Java': { tour: 'small', command: () => ['java', path('examples/servers/java/Server.java')] },
} as const;
