// Backends of the pages under test: real servers under a real host, or a recording of a given length, with the page built from its current
// sources.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { isPageBuilt } from '../../scripts/prepare.mjs';
import { inspectorInputs } from '../../src/app/inspector/calls/questions.ts';
import { type Inspector, startInspector } from '../../src/app/inspector/server.ts';
import type { InspectorSource } from '../../src/app/inspector/sources/source.ts';
import { hostSource } from '../../src/app/inspector/sources/source.ts';
import { type CommandConfig, defaultRestart } from '../../src/config/server-config.ts';
import { Host } from '../../src/host/host.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { largeRecording } from '../../ui/dev/large-recording.mjs';
import { later } from '../fixtures/later.ts';
import { serverConfig } from '../fixtures/server-config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let uiFolder: Promise<string> | undefined;

/** The page that `npm test` built, unless one of its sources has changed since. */
async function builtPage(): Promise<string> {
  if (isPageBuilt()) return join(root, 'dist/ui');
  const outDir = mkdtempSync(join(tmpdir(), 'standpipe-ui-'));
  temporaryFolders.push(outDir);
  const { build } = await import('vite');
  await build({ root: join(root, 'ui'), logLevel: 'error', build: { outDir, emptyOutDir: true } });
  return outDir;
}

const temporaryFolders: string[] = [];
afterAll(() => {
  for (const folder of temporaryFolders.splice(0)) rmSync(folder, { recursive: true, force: true });
  uiFolder = undefined;
});

export type ServerName = 'workbench' | 'hostile' | 'falls' | 'calculator' | 'renders' | 'gallery' | 'bare';

export function serverFile(name: string): string {
  return join(root, 'test/browser/servers', `${name}.mjs`);
}

export const commandLineFile = join(root, 'dist/cli/main.cjs');

/** The calculator of the examples uses LiteMCP; all others use MCP. `renders` has tasks. */
export function configOf(name: ServerName): CommandConfig {
  const restart = { ...defaultRestart, maxRestarts: 2, backoffMs: 50 };
  if (name === 'renders') return serverConfig(name, 'test/fixtures/tasks/renders.mjs', { restart });
  if (name !== 'calculator') return serverConfig(name, serverFile(name), { restart });
  return serverConfig(name, 'examples/litemcp/calculator.mjs', { restart, protocol: 'litemcp' });
}

export interface Opened extends Inspector {
  host: Host;
}

/** Address of the page; with a hash, of a view. */
export function addressIn(inspector: Inspector, hash: string): string {
  return `${inspector.url}${hash}`;
}

export async function openInspector(...servers: ServerName[]): Promise<Opened> {
  const questions = inspectorInputs();
  const host = new Host(servers.map(configOf), { inputs: questions.inputs });
  later(() => host.stop());
  // Some tests use a server that crashes; its state shows the failure.
  await host.start().catch(() => undefined);
  return Object.assign(
    await openSource(hostSource(host, { title: 'kitchen', questions, reach: (server) => ({ server, options: [] }) })),
    { host },
  );
}

export function openRecording(events: number): Promise<Inspector> {
  return openSource(largeRecording(FlowStore, events) as InspectorSource);
}

export async function openSource(source: InspectorSource): Promise<Inspector> {
  uiFolder ??= builtPage();
  const inspector = await startInspector(source, { port: 0, uiFolder: await uiFolder });
  later(() => inspector.close());
  return inspector;
}
