// Follows the README in an empty folder: writes its files and runs its shell lines, in order. The packed package is installed in place of
// `standpipe`, and other packages in the versions of package-lock.json before npx would download them.

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
/** Processes of lines that run until Ctrl-C. */
const running: ChildProcess[] = [];
let tarball: string;

beforeAll(async () => {
  mkdirSync(empty);
  // Scripts are not needed: dist/ is built, and package.full.test.ts tests the build of a package.
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

test.each(steps)('runs $line with the printed output', async ({ line, files, printed }) => {
  for (const { file, code } of files) writeFileSync(join(empty, file), code);
  if (/# .*until Ctrl-C/.test(line)) return keepRunning(line);
  const command = ['bash', '-c', `${asInstalledHere(line)} 2>>stderr.txt`];
  const { stdout } = printed?.startsWith(TABLE)
    ? await onTerminal(command)
    : await run(command[0]!, command.slice(1), { cwd: empty, env });
  if (printed !== undefined) expect(stdout.trimEnd()).toBe(printed);
});

/** A header shows that the table is for a terminal: in a pipe, tables have tabs and no header. */
const TABLE = 'TOOL ';

async function onTerminal(command: readonly string[]): Promise<{ stdout: string }> {
  const task = JSON.stringify({ command, columns: 100 });
  const script = join(root, 'test/fixtures/cli/on-a-terminal.py');
  const { stdout } = await run('python3', [script, task], { cwd: empty, env: { ...env, NO_COLOR: '1' } });
  return { stdout: stdout.replaceAll('\r\n', '\n') };
}

interface Step {
  line: string;
  /** Files between the previous step and this one. */
  files: Program[];
  /** Output of the line in the README. */
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

/** Sends the signal to npx and to the command, like Ctrl-C. */
async function interrupt(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  process.kill(-child.pid!, 'SIGINT');
  await closed;
}
