// The package of users: the packed tarball, installed in another folder, with every subpath as ESM and as types.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consumers } from './consumers.ts';
import { root } from './files.ts';
import { links } from './markdown.ts';

/** All packages that are installed with this one, without their own dependencies. Changes are deliberate. */
const RUNTIME_DEPENDENCIES = [
  '@decimalturn/toml-patch', // configs of hosts that are TOML, on first use
  '@modelcontextprotocol/client', // OAuth of remote servers, on first use
  '@modelcontextprotocol/core', // the schemas, when a message is opened in the Inspector
  '@opentelemetry/api', // spans of the gateway, on first use
  '@standard-schema/spec', // only types
  'ajv', // loaded with the first schema
  'http-proxy-agent', // if a proxy is set
  'https-proxy-agent',
  'jose', // JSON Web Tokens for clients of the gateway, on first use
  'jsonc-parser', // config files
  'prom-client', // metrics of the gateway, on first use
  'proxy-from-env', // selection of the proxy, and of addresses without one
  'yaml', // configs of hosts that are YAML, on first use
];

const { name, exports, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Modules; the other exports are files for programs to read. */
const subpaths = Object.keys(exports).filter((subpath) => !subpath.endsWith('.json'));
const run = promisify(execFile);
const windows = process.platform === 'win32';
/** Reports the output of npm and its scripts if it fails; a compiler writes its errors to stdout. */
const npm = (args: string[], cwd: string) =>
  run('npm', args, { cwd, shell: windows }).catch(({ message, stdout }) => {
    throw new Error(`${message}\n${stdout}`);
  });

const folder = mkdtempSync(join(tmpdir(), 'standpipe-package-'));
const elsewhere = join(folder, 'elsewhere');
let packed: { filename: string; size: number; unpackedSize: number; files: { path: string }[] };

beforeAll(async () => {
  // Packs the build for the tests: the scripts of npm would build again, which is slow.
  const { stdout } = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root);
  [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const tarball = join(folder, packed.filename);
  await npm(['install', tarball, '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], elsewhere);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the runtime dependencies are exactly the intended ones', () => {
  expect(Object.keys(manifest.dependencies).toSorted()).toEqual(RUNTIME_DEPENDENCIES.toSorted());
  expect(Object.keys(manifest.optionalDependencies)).toEqual([
    '@koromix/koffi-win32-arm64', // job objects, on Windows
    '@koromix/koffi-win32-x64',
    '@napi-rs/keyring', // tokens of logins, on first use
  ]);
  const peers = Object.keys(manifest.peerDependencies);
  expect(peers).toEqual(['@nats-io/jetstream', '@nats-io/kv', '@nats-io/transport-node']);
  expect(manifest.peerDependenciesMeta).toEqual(Object.fromEntries(peers.map((name) => [name, { optional: true }])));
});

test('a package is built from scratch before it is packed', () => {
  expect(manifest.scripts.prepack).toBe('npm run clean && npm run build && npm run build:ui');
});

test('the tarball contains the files in use, and no tests, contracts or sources', () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'package.json',
      'README.md',
      'README.zh-CN.md',
      'CHANGELOG.md',
      'SECURITY.md',
      'LICENSE',
      'dist/entry/index.js',
      'dist/cli/main.cjs',
      'dist/ui/index.html',
      'docs/errors.md',
      'schema/mcp.schema.json',
    ]),
  );
  expect(
    paths.filter((path) => /\.(?:test|contract)\.|(?<!\.d)\.ts$|^(?:test|src|bench(?!\/README\.md$))\//.test(path)),
  ).toEqual([]);
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KB`;
  console.info(`Tarball: ${paths.length} files, ${kilobytes(packed.size)}, ${kilobytes(packed.unpackedSize)} unpacked`);
});

test('every relative link of its pages leads to a file of the tarball', () => {
  const paths = new Set(packed.files.map(({ path }) => path));
  const pages = [...paths].filter((path) => path.endsWith('.md'));
  const broken = pages.flatMap((page) =>
    links(readFileSync(join(root, page), 'utf8'))
      .filter((link) => !/^(?:[a-z]+:|#)/.test(link))
      .filter((link) => !paths.has(posix.join(posix.dirname(page), decodeURI(link.split('#')[0]!))))
      .map((link) => `${page}: ${link}`),
  );
  expect(pages).toContain('README.md');
  expect(broken).toEqual([]);
});

test('every module of the library has a source map with its source', () => {
  const paths = packed.files.map(({ path }) => path);
  const installed = (path: string) => readFileSync(join(elsewhere, 'node_modules', name, path), 'utf8');
  const modules = paths.filter((path) => /^dist\/(?!cli\/|ui\/).*\.js$/.test(path));
  const withCode = modules.filter((path) => /^\/\/(?:#region)? src\//m.test(installed(path)));
  expect(paths.filter((path) => path.endsWith('.map')).toSorted()).toEqual(
    withCode.map((path) => `${path}.map`).toSorted(),
  );
  const map = JSON.parse(installed('dist/chunks/core.js.map'));
  const place = map.sources.indexOf('../../src/wire/jsonrpc/peer.ts');
  expect(map.sourcesContent[place]).toEqual(readFileSync(join(root, 'src/wire/jsonrpc/peer.ts'), 'utf8'));
});

test('a subpath loads only the files that it needs', () => {
  const module = (path: string) => readFileSync(join(elsewhere, 'node_modules', name, 'dist', path), 'utf8');
  expect(module('chunks/core.js')).not.toMatch(/from "node:/);
  for (const entry of ['client', 'server', 'litemcp']) {
    const files = loadedBy(`entry/${entry}.js`, module).filter((path) => path.endsWith('.js'));
    expect(files.length).toBeLessThanOrEqual(8);
  }
});

test('the command is installed with the package', async () => {
  const { stdout } = await run(join(elsewhere, 'node_modules/.bin', name), ['--version']);
  expect(stdout.trim()).toBe(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
});

test('every subpath has a consumer in consumers.ts', () => {
  expect(Object.keys(consumers).toSorted()).toEqual(subpaths.toSorted());
});

test('every subpath resolves as ESM', async () => {
  const program = `
    const found = {};
    for (const specifier of ${JSON.stringify(subpaths.map(toSpecifier))}) found[specifier] = Object.keys(await import(specifier)).length;
    console.log(JSON.stringify(found));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: elsewhere });
  expect(Object.entries(JSON.parse(stdout)).filter(([, names]) => names === 0)).toEqual([]);
});

test('modules that are not exported cannot be imported', async () => {
  const program = `import(${JSON.stringify(`${name}/dist/entry/index.js`)}).catch((error) => console.log(error.code))`;
  const { stdout } = await run(process.execPath, ['-e', program], { cwd: elsewhere });
  expect(stdout.trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
});

/** Compiler options of strict users: each affects how our types are checked. */
const strictOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
};

test.each([
  ['strictly', { strict: true }],
  ['with all strict options', strictOptions],
])('programs that use every subpath compile, %s, and run', async (_, strictness) => {
  const files = Object.entries(consumers).map(([subpath, source]) => {
    const file = `${subpath.replaceAll(/\W/g, '') || 'root'}.ts`;
    writeFileSync(join(elsewhere, file), source);
    return file;
  });
  const compilerOptions = {
    target: 'ES2023',
    module: 'NodeNext',
    ...strictness,
    outDir: 'out',
    rootDir: '.',
    // Users who write for Node.js have its types; our types are checked in full, not skipped.
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    skipLibCheck: false,
  };
  writeFileSync(join(elsewhere, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', elsewhere]).catch((error) => error);
  expect(stdout).toBe('');
  const program = files.map((file) => `await import('./out/${file.replace('.ts', '.js')}');`).join('\n');
  await run(process.execPath, ['--input-type=module', '-e', program], { cwd: elsewhere });
});

function toSpecifier(subpath: string): string {
  return `${name}${subpath.slice(1)}`;
}

/** The files that an import of this file loads at once, and the packages. */
function loadedBy(entry: string, module: (path: string) => string): string[] {
  const found = new Set([entry]);
  for (const path of found) {
    if (!path.endsWith('.js')) continue;
    for (const [, from] of module(path).matchAll(/^(?:import|export) .*?from "([^"]+)";$/gm)) {
      found.add(from!.startsWith('.') ? posix.join(posix.dirname(path), from!) : from!);
    }
  }
  return [...found];
}
