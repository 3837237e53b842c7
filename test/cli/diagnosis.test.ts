// Mistakes of a caller and of the environment: each is an error with a remedy, and fails as early as possible.

import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ownInfo } from '../../src/mcp/own-info.ts';
import { hasTerminal } from '../fixtures/python.ts';
import { lacks } from '../fixtures/windows.ts';
import {
  cleanEnv,
  everything,
  everythingEntry,
  folder,
  program,
  runCli,
  runOnTerminal,
  writeConfig,
} from './run-cli.ts';

/** A server that creates a file when it starts, and never answers. */
const silentEntry = (trace: string) => ({
  command: process.execPath,
  args: ['-e', `require('fs').writeFileSync(${JSON.stringify(trace)}, ''); setInterval(() => {}, 1e6)`],
});

describe('a misspelt server', () => {
  test.each([['goood', 'add'], ['goood/add', 'a=1'], ['goood']])(
    '%s %s suggests the correct name without starting a server',
    async (...words) => {
      const trace = join(folder, `started-${words.join('-').replaceAll('/', '-')}`);
      const config = writeConfig('misspelt.json', { good: silentEntry(trace), slow: silentEntry(trace) });
      const { code, stderr } = await runCli(['call', ...words, '--config', config]);
      expect(code).toBe(2);
      expect(stderr).toContain('Did you mean "good"?');
      expect(existsSync(trace)).toBe(false);
    },
  );

  test('finds a tool whose name resembles that of a server', async () => {
    const config = writeConfig('close.json', { greeet: everythingEntry });
    expect(await runCli(['call', 'greet', 'name=x', '--config', config])).toMatchObject({ stdout: 'Hello, x!\n' });
    // The first call has cached the name of the tool.
    expect((await runCli(['call', 'greet', '--config', config])).stderr).toContain('needs "name"');
  });
});

describe('--output', () => {
  test.each([
    ['a folder that does not exist', 'out/', /mkdir (-p )?out\//],
    ['a file in such a folder', 'out/x.txt', /mkdir (-p )?out/],
  ])('refuses %s before it starts a server', async (_what, target, hint) => {
    const trace = join(folder, `ran-${target.replaceAll('/', '-')}`);
    const { command, args } = silentEntry(trace);
    const { code, stderr } = await runCli(['call', 'x', '--output', target, '--', command, ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--output cannot be "${target}"`);
    expect(stderr).toMatch(hint);
    expect(existsSync(trace)).toBe(false);
  });
});

test.each([
  ['tools', 'python3', 'crash.py'],
  ['tools', './crash.py'],
  ['call', 'python3', 'crash.py'],
])('%s %s suggests to write a command after --', async (...words) => {
  const config = writeConfig('one.json', { good: everythingEntry });
  const { code, stderr } = await runCli([...words, '--config', config]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/after --: .*-- (?:python3|\.\/crash\.py)/);
});

describe('unusable folders', () => {
  const config = writeConfig('up.json', { good: everythingEntry });

  test.skipIf(lacks.runtimeFolder)('refuses a runtime folder that cannot be created', async () => {
    writeFileSync(join(folder, 'a-file'), '');
    const env = { XDG_RUNTIME_DIR: join(folder, 'a-file') };
    const { code, stderr } = await runCli(['up', '--config', config], { env });
    expect(code).toBe(2);
    expect(stderr).toContain(`The runtime folder ${join(folder, 'a-file', 'standpipe')} cannot be used`);
    expect(stderr).toContain('Set XDG_RUNTIME_DIR');
  });

  test.skipIf(process.getuid?.() !== 0)('refuses a runtime folder of another user', async () => {
    const runtime = join(folder, 'foreign');
    mkdirSync(join(runtime, 'standpipe'), { recursive: true });
    chownSync(join(runtime, 'standpipe'), 12_345, 12_345);
    const { code, stderr } = await runCli(['up', '--config', config], { env: { XDG_RUNTIME_DIR: runtime } });
    expect(code).toBe(2);
    expect(stderr).toContain('it belongs to the user with uid 12345');
    expect(stderr).toContain('Set XDG_RUNTIME_DIR');
  });

  test.skipIf(lacks.runtimeFolder)('refuses a runtime folder whose socket path would be too long', async () => {
    const runtime = join(folder, 'long'.repeat(40));
    mkdirSync(runtime);
    const { code, stderr } = await runCli(['up', '--config', config], { env: { XDG_RUNTIME_DIR: runtime } });
    expect(code).toBe(2);
    expect(stderr).toContain('a short path');
  });

  test('tap install changes nothing if it cannot write the backup', async () => {
    const file = writeConfig('held.json', { good: everythingEntry });
    const before = readFileSync(file, 'utf8');
    mkdirSync(`${file}.before-tap/in-the-way`, { recursive: true });
    const { code, stderr } = await runCli(['tap', 'install', file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Cannot write ${file}.before-tap`);
    expect(stderr).toContain(`make the folder ${folder} writable`);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('tap install reports that it cannot read a folder', async () => {
    const { code, stderr } = await runCli(['tap', 'install', folder]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Cannot read ${folder}`);
  });
});

test('accepts arguments that match one of several alternatives', async () => {
  const shape = {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'circle' }, r: { type: 'number' } },
        required: ['kind', 'r'],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { kind: { const: 'box' }, width: { type: 'number' }, height: { type: 'number' } },
        required: ['kind', 'width', 'height'],
        additionalProperties: false,
      },
    ],
  };
  const server = join(folder, 'shapes.mjs');
  const library = JSON.stringify(new URL('../../dist/entry/server.js', import.meta.url).href);
  writeFileSync(
    server,
    `import { Server, serveStdio } from ${library};
    const server = new Server({ name: 'shapes', version: '1.0.0' });
    const input = { type: 'object', properties: { shape: ${JSON.stringify(shape)} }, required: ['shape'] };
    server.tool('draw', { input }, (args) => JSON.stringify(args));
    await serveStdio(server);`,
  );
  const draw = (...words: string[]) => runCli(['call', 'draw', ...words, '--', process.execPath, server]);
  const { stdout, stderr } = await draw('shape.kind=box', 'shape.width=2', 'shape.height=3');
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ shape: { kind: 'box', width: 2, height: 3 } });
  expect((await draw('shape.kind=box', 'shape.width=2')).stderr).toContain('needs "shape.height"');
  expect((await draw('shape.kind=circle')).stderr).toContain('needs "shape.r"');
});

test('tools reports an unset variable, a missing command and a missing address in the same way', async () => {
  const unusable = {
    unset: { command: 'x', env: { A: '${NOT_SET_ANYWHERE}' } },
    missing: { command: 'no-such-program-anywhere' },
    remote: { type: 'http' },
  };
  const names = Object.keys(unusable);
  const config = writeConfig('unusable.json', { good: everythingEntry, ...unusable });
  const { code, stdout, stderr } = await runCli(['tools', '--json', '--config', config]);
  expect(code).toBe(3);
  const { failed, tools } = JSON.parse(stdout);
  expect(failed).toHaveLength(names.length);
  expect(tools.length).toBeGreaterThan(0);
  for (const name of names) {
    expect(failed).toContainEqual({ server: name, error: expect.objectContaining({ code: expect.any(String) }) });
    expect(stderr).toContain(`${name} could not be queried:`);
    const alone = await runCli(['tools', name, '--json', '--config', config]);
    expect(alone.code).toBe(3);
    expect(JSON.parse(alone.stdout).error).toMatchObject({ exitCode: 3, hint: expect.any(String) });
    expect((await runCli(['call', name, 'x', '--config', config])).code).toBe(3);
  }
});

describe('tap', () => {
  test.skipIf(lacks.links)(
    'install through npx writes entries that use npx, because the folder of the program is a cache',
    async () => {
      const cached = join(folder, '_npx', '0123456789abcdef', 'node_modules', 'standpipe');
      cpSync(fileURLToPath(new URL('../../dist/cli', import.meta.url)), join(cached, 'dist', 'cli'), {
        recursive: true,
      });
      cpSync(fileURLToPath(new URL('../../package.json', import.meta.url)), join(cached, 'package.json'));
      symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(cached, 'node_modules'));
      const file = writeConfig('host.json', { good: everythingEntry });
      const main = join(cached, 'dist', 'cli', 'main.cjs');
      const ran = spawnSync(process.execPath, [main, 'tap', 'install', file], { env: cleanEnv, encoding: 'utf8' });
      expect(ran.stderr).toContain('Restart the program that reads this config');
      const { good } = JSON.parse(readFileSync(file, 'utf8')).mcpServers;
      expect([good.command, ...good.args.slice(0, 3)]).toEqual(['npx', '-y', `standpipe@${ownInfo.version}`, 'tap']);
      expect((await runCli(['tap', 'uninstall', file])).stdout).toContain('untapped');
      expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.good).toEqual(everythingEntry);
    },
  );

  test.skipIf(lacks.links)(
    'warns if it is installed in a project, because the entries fail without the project',
    async () => {
      const project = join(folder, 'some project');
      const local = join(project, 'node_modules', 'standpipe');
      cpSync(fileURLToPath(new URL('../../dist/cli', import.meta.url)), join(local, 'dist', 'cli'), {
        recursive: true,
      });
      cpSync(fileURLToPath(new URL('../../package.json', import.meta.url)), join(local, 'package.json'));
      symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(local, 'node_modules'));
      writeFileSync(join(project, 'package.json'), '{}');
      const file = writeConfig('host-of-project.json', { good: everythingEntry });
      const main = join(local, 'dist', 'cli', 'main.cjs');
      const ran = spawnSync(process.execPath, [main, 'tap', 'install', file], { env: cleanEnv, encoding: 'utf8' });
      expect(ran.stderr).toContain(`warning: The entries run Standpipe from the project ${project}`);
      expect(ran.stderr).toContain(`npm install -g standpipe@${ownInfo.version}`);
      const exported = spawnSync(process.execPath, [main, 'export', 'cursor', '--connect', '--config', file], {
        env: cleanEnv,
        encoding: 'utf8',
      });
      expect(exported.stderr).toContain(`The entries run Standpipe from the project ${project}`);
    },
  );

  test('writes the path of the program into entries otherwise', async () => {
    const file = writeConfig('host-2.json', { good: everythingEntry });
    await runCli(['tap', 'install', file]);
    const { good } = JSON.parse(readFileSync(file, 'utf8')).mcpServers;
    expect([good.command, ...good.args.slice(0, 2)]).toEqual([process.execPath, program, 'tap']);
  });

  test.skipIf(!hasTerminal)('reports on a terminal what it waits for', async () => {
    const { stdout } = await runOnTerminal(['tap', ...everything], {
      steps: [{ wait: 'tap install <host>', type: '\x04' }],
    });
    expect(stdout).toContain('Messages for it are read from this terminal');
  });
});
