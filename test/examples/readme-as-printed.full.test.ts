// Follows the README in an empty folder: writes the files it shows and runs its shell lines, in its order. The packed package is
// installed in place of `standpipe`; the other packages are installed in the versions of package-lock.json, before npx would load them.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../fixtures/server.ts';
import { root } from '../repository/files.ts';
import { blocksOf, expectedOutput, type Program } from './page-programs.ts';

const run = promisify(execFile);
const temporary = mkdtempSync(join(tmpdir(), 'standpipe-readme-'));
const empty = join(temporary, 'empty');
const env = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  XDG_RUNTIME_DIR: temporary,
  XDG_CACHE_HOME: join(temporary, 'cache'),
  XDG_CONFIG_HOME: join(temporary, 'config'),
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
};
/** Lines that run until Ctrl-C. */
const running: ChildProcess[] = [];
let tarball: string;

beforeAll(async () => {
  mkdirSync(empty);
  // Without scripts: dist/ is built already, and package.full.test.ts covers the build of a package.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', temporary];
  const { stdout } = await run('npm', args, { cwd: root });
  tarball = join(temporary, JSON.parse(stdout)[0].filename);
  const first = 'npm install standpipe @modelcontextprotocol/server-memory';
  await run('bash', ['-c', asInstalledHere(first)], { cwd: empty, env });
});
afterAll(async () => {
  await Promise.all(running.map(interrupt));
  rmSync(temporary, { recursive: true, force: true });
});

const blocks = blocksOf('README.md');
const steps = stepsOf(blocks);

test('every block is a file with a name, shell lines, or the output of the shell lines before it', () => {
  const isOutput = (block: Program) =>
    block.language === 'text' && blocks[blocks.indexOf(block) - 1]?.language === 'sh';
  expect(blocks.filter((block) => !block.file && block.language !== 'sh' && !isOutput(block))).toEqual([]);
  expect(steps.length).toBeGreaterThan(10);
});

test.each(steps)('$line', async ({ line, files, printed }) => {
  for (const { file, code } of files) writeFileSync(join(empty, file), code);
  if (/# .*until Ctrl-C/.test(line)) return keepRunning(line);
  const command = ['bash', '-c', `${asInstalledHere(line)} 2>>stderr.txt`];
  const { stdout } = printed?.startsWith(TABLE)
    ? await onTerminal(command)
    : await run(command[0]!, command.slice(1), { cwd: empty, env });
  if (printed !== undefined) expect(stdout.trimEnd()).toBe(printed);
});

/** In a pipe a table has tabs and no header. */
const TABLE = 'TOOL ';

async function onTerminal(command: readonly string[]): Promise<{ stdout: string }> {
  const task = JSON.stringify({ command, columns: 100 });
  const script = join(root, 'test/fixtures/cli/on-a-terminal.py');
  const { stdout } = await run('python3', [script, task], { cwd: empty, env: { ...env, NO_COLOR: '1' } });
  return { stdout: stdout.replaceAll('\r\n', '\n') };
}

interface Step {
  line: string;
  /** The files shown between the step before and this one. */
  files: Program[];
  /** What the README shows as its output. */
  printed?: string | undefined;
}

function stepsOf(all: readonly Program[]): Step[] {
  const found: Step[] = [];
  let files: Program[] = [];
  for (const block of all) {
    if (block.file) files.push(block);
    else if (block.language === 'text') found.at(-1)!.printed = block.code.trimEnd();
    else {
      for (const line of block.code.trimEnd().split('\n')) {
        const program = all.find(({ file }) => file && line === `node ${file}`);
        found.push({ line, files, printed: program && expectedOutput(program.code).join('\n') });
        files = [];
      }
    }
  }
  return found;
}

function asInstalledHere(line: string): string {
  if (!line.startsWith('npm install ')) return line;
  return line.replaceAll(/ (@?[a-z][\w/-]*)/g, (_, name: string) => {
    if (name === 'install') return ' install';
    if (name === 'standpipe') return ` ${tarball}`;
    return ` ${name}@${JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version}`;
  });
}

/** Waits until the line has printed the address of the Inspector. */
async function keepRunning(line: string): Promise<void> {
  const child = spawn('bash', ['-c', line], { cwd: empty, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  await until(`the address of the Inspector: ${line}`, () => /http:\/\/127\.0\.0\.1:\d+/.test(printed));
}

/** Like Ctrl-C: the signal goes to npx and to the command. */
async function interrupt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  process.kill(-child.pid!, 'SIGINT');
  await closed;
}
