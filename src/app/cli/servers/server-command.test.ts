import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { serverOfCommand } from './server-command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'standpipe-command-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const folder = join(cwd, "My tést (it's new) ~1");
mkdirSync(folder);
for (const name of ['weather.py', 'wetter 東京.mjs']) writeFileSync(join(folder, name), '');

const nameOf = (...words: string[]) => serverOfCommand(words, { cwd }, {}).name;

test.each([
  ['weather', ['python3', 'some/weather.py']],
  ['weather', ['python3', '-u', 'some/weather.py', '--verbose']],
  ['weather', ['python3', '/home/josé/日本/weather.py']],
  ['café', ['python3', 'some/cafe\u0301.py']], // as macOS writes it
  ['weather', ['python3', join(folder, 'weather.py')]],
  ['wetter 東京', ['node', "My tést (it's new) ~1/wetter 東京.mjs"]],
  ['server-everything', ['npx', '-y', '@modelcontextprotocol/server-everything']],
  ['my-server', ['/opt/my-server']],
  ['node', ['node', '-e', 'console.log("a / b")']],
  ['sh', ['sh', '-c', 'exec ./no such file']],
])('names the server %s for the command %j', (name, words) => {
  expect(nameOf(...words).normalize()).toBe(name);
});
