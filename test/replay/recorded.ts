// Recordings of real servers, made by a tap.

import { fileURLToPath } from 'node:url';
import { connect } from '../../src/connect/connect.ts';
import type { Client } from '../../src/mcp/client/client.ts';
import type { ClientOptions } from '../../src/mcp/client/options.ts';
import { cleanEnv, folder, program } from '../cli/run-cli.ts';

let count = 0;

export const replayFixture = (name: string) =>
  fileURLToPath(new URL(`../fixtures/replay/${name}.mjs`, import.meta.url));

/** Records what `use` does with a server. Resolves with the file. */
export async function recorded(
  command: readonly string[],
  use: (client: Client) => Promise<unknown>,
  tap: readonly string[] = [],
  options: ClientOptions = {},
): Promise<string> {
  const file = `${folder}/recorded-${++count}.jsonl`;
  const args = [program, 'tap', '--name', 'tested', '--record', file, ...tap, '--', ...command];
  const client = await connect({ command: process.execPath, args, env: cleanEnv as Record<string, string> }, options);
  try {
    await use(client);
  } finally {
    await client.close();
  }
  return file;
}
