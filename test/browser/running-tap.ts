// A real tap in front of a real server, in a separate runtime folder, and an Inspector that shows it.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Inspector } from '../../src/app/inspector/server.ts';
import { liveSource } from '../../src/app/inspector/sources/live-source.ts';
import { Host } from '../../src/host/host.ts';
import { findLive } from '../../src/observe/live/find-live.ts';
import { later } from '../fixtures/later.ts';
import { soon } from './on-page.ts';
import { commandLineFile, configOf, openSource, serverFile } from './target.ts';

const tapArguments = (name: string, server: string, options: string[] = []) => [
  commandLineFile,
  ...['tap', '--name', name, ...options],
  ...['--', process.execPath, serverFile(server)],
];

/** A runtime folder. With `env`, a tap announces itself there. */
function runtimeFolder(): { folder: string; env: Record<string, string> } {
  const parent = mkdtempSync(join(tmpdir(), 'sp-'));
  later(async () => rmSync(parent, { recursive: true, force: true }));
  return { folder: join(parent, 'standpipe'), env: { XDG_RUNTIME_DIR: parent, LOCALAPPDATA: parent } };
}

async function inspectorOf(folder: string): Promise<Inspector> {
  await soon(async () => (await findLive(folder)).length).toBe(1);
  return openSource(liveSource({ folder }));
}

/** Starts a tap between one of our hosts and the server `workbench`. */
export async function tapBetweenHostAndServer(name: string): Promise<{ host: Host; inspector: Inspector }> {
  const { folder, env } = runtimeFolder();
  const config = configOf('workbench');
  const restart = { ...config.restart, policy: 'never' as const };
  const host = new Host([{ ...config, args: tapArguments(name, 'workbench'), env, restart }]);
  later(() => host.stop());
  await host.start();
  return { host, inspector: await inspectorOf(folder) };
}

/** Starts `standpipe up` with the server `gallery` in another process. The Inspector watches it, and acts through its socket. */
export async function hostElsewhere(): Promise<Inspector> {
  const { folder, env } = runtimeFolder();
  const config = join(folder, '..', 'mcp.json');
  const gallery = { command: process.execPath, args: [serverFile('gallery')] };
  writeFileSync(config, JSON.stringify({ mcpServers: { gallery } }));
  const child = spawn(process.execPath, [commandLineFile, 'up', '--json', '--config', config], {
    env: { ...process.env, ...env },
  });
  child.stdout.resume();
  child.stderr.resume();
  later(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  return inspectorOf(folder);
}

export interface ByHand {
  /** Writes one line for each message. */
  write(...messages: unknown[]): void;
  inspector: Inspector;
}

/** Starts a tap in front of a server; the test plays the client. */
export async function tapByHand(name: string, server: string, options: string[] = []): Promise<ByHand> {
  const { folder, env } = runtimeFolder();
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, tapArguments(name, server, options), {
    env: { ...process.env, ...env },
  });
  child.stdout.resume();
  child.stderr.resume();
  later(async () => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  });
  const write = (...messages: unknown[]) => {
    for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  return { write, inspector: await inspectorOf(folder) };
}
