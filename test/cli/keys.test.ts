// The keys of the sockets of a host are stored only in their files.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everythingEntry, folder, runCli, writeConfig } from './run-cli.ts';

/** Contents of all files in the folder and its subfolders. */
function filesBelow(parent: string): { file: string; text: string }[] {
  return readdirSync(parent, { recursive: true, encoding: 'utf8' })
    .map((name) => join(parent, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => ({ file, text: readFileSync(file, 'latin1') }));
}

test('the keys of a host appear in no log, recording, descriptor or output, and are removed with the host', async () => {
  const config = writeConfig('keys.json', { everything: everythingEntry });
  const recording = join(folder, 'keys.jsonl');
  const shown: string[] = [];
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runCli([...words, '--config', config]);
    expect({ words, code }).toEqual({ words, code: 0 });
    shown.push(stdout, stderr);
  };
  await run('up', '--background', '--json', '--record', recording);
  const keys = filesBelow(folder).filter(({ file }) => file.endsWith('.key'));
  const secrets = keys.map(({ text }) => JSON.parse(text).secret as string);
  expect(secrets).toHaveLength(2); // the keys of the control socket and of the socket for viewers
  for (const { file } of keys) expect(statSync(file).mode & 0o077).toBe(process.platform === 'win32' ? 0o066 : 0);
  await run('call', 'everything', 'greet', 'name=you', '--verbose');
  await run('ls', '--json');
  await run('logs', 'everything', '--json');
  const others = filesBelow(folder).filter(({ file }) => !file.endsWith('.key'));
  expect(others.map(({ file }) => file)).toContain(recording);
  await run('down', '--json');
  for (const secret of secrets) {
    expect(shown.join('\n')).not.toContain(secret);
    expect(others.filter(({ text }) => text.includes(secret)).map(({ file }) => file)).toEqual([]);
  }
  expect(filesBelow(folder).filter(({ file }) => file.endsWith('.key'))).toEqual([]);
});
