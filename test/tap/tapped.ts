// Runs taps as hosts do: as a program, over pipes. Processes that a test leaves running are ended after it.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import type { FlowEvent } from '../../src/observe/flow/event.ts';
import { type RecordingItem, readRecording } from '../../src/observe/record/reader.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

export { isAlive, until } from '../fixtures/server.ts';

export const node = process.execPath;
const main = fileURLToPath(new URL('../../dist/cli/main.cjs', import.meta.url));

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/tap/${name}.mjs`, import.meta.url));
}

export class Tapped {
  readonly process: ChildProcessWithoutNullStreams;
  stdout = Buffer.alloc(0);
  stderr = '';

  readonly #closed: Promise<unknown>;

  constructor(process: ChildProcessWithoutNullStreams, collects: boolean) {
    this.process = process;
    this.#closed = once(process, 'close');
    process.stdin.on('error', () => undefined); // some tests cause EPIPE
    process.stderr.on('data', (chunk) => {
      this.stderr += chunk;
    });
    if (!collects) return;
    process.stdout.on('data', (chunk: Buffer) => {
      this.stdout = Buffer.concat([this.stdout, chunk]);
    });
  }

  get pid(): number {
    return this.process.pid!;
  }

  get text(): string {
    return this.stdout.toString();
  }

  /** Resolves with the exit code or signal after all output was read. */
  async end(): Promise<{ exitCode: number | null; signal: string | null }> {
    await this.#closed;
    return { exitCode: this.process.exitCode, signal: this.process.signalCode };
  }
}

export const folder = temporaryFolder('tap');
const running: Tapped[] = [];
let files = 0;

afterEach(async () => {
  for (const tapped of running.splice(0)) {
    tapped.process.kill('SIGKILL');
    await tapped.end();
  }
});

export function freshFile(ending = 'jsonl'): string {
  return join(folder, `file-${process.pid}-${++files}.${ending}`);
}

export interface TapSetup {
  /** Options of the tap itself. */
  tap?: string[];
  env?: NodeJS.ProcessEnv;
  /** Whether its output is kept for the test. */
  collects?: boolean;
  /** Runs the server without the tap, to compare with. */
  untapped?: boolean;
  /** Limit for the size of a file in blocks of `ulimit -f`, to simulate a full disk. */
  maxFileBlocks?: number;
}

/** The command line of a tap for a command. */
export function tapCommand(command: string[], tap: string[] = []): string[] {
  return [node, main, 'tap', ...tap, '--', ...command];
}

export function startTap(command: string[], setup: TapSetup = {}): Tapped {
  const { tap = [], env = {}, collects = true, untapped, maxFileBlocks } = setup;
  const limit = maxFileBlocks === undefined ? [] : ['sh', '-c', `ulimit -f ${maxFileBlocks}; exec "$@"`, 'sh'];
  const words = [...limit, ...(untapped ? command : tapCommand(command, tap))];
  const child = spawn(words[0]!, words.slice(1), {
    env: { ...process.env, XDG_RUNTIME_DIR: folder, LOCALAPPDATA: folder, ...env },
  });
  const tapped = new Tapped(child, collects);
  running.push(tapped);
  return tapped;
}

/** Returns no items while the file does not exist. */
export async function readItems(file: string): Promise<RecordingItem[]> {
  const items: RecordingItem[] = [];
  if (!existsSync(file)) return items;
  for await (const item of readRecording(file)) items.push(item);
  return items;
}

export async function readEvents(file: string): Promise<FlowEvent[]> {
  return (await readItems(file)).flatMap((item) => (item.type === 'event' ? [item.event] : []));
}
