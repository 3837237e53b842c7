// Checks the imports of every source file against the table of folders.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkImports, unusedPermissions } from './check-imports.ts';
import { repositoryFiles, root } from './files.ts';
import { roomAsRow, rooms } from './import-rules.ts';
import { readImports } from './read-imports.ts';

const sources = repositoryFiles('src').filter((file) => /(?<!\.(?:test|contract|d))\.tsx?$/.test(file));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

test('every source file imports only what the table allows, and every permission of the table is used', () => {
  const used = new Set<string>();
  expect(sources.flatMap((file) => checkImports(file.slice('src/'.length), read(file), used))).toEqual([]);
  expect(unusedPermissions(used)).toEqual([]);
});

test('readImports finds every import that a text search finds', () => {
  const plainSearch = /^(?:(?:import|export|\}).* from|import) '[^']+';$/gm;
  const missed = sources.filter(
    (file) => readImports(read(file)).length < (read(file).match(plainSearch)?.length ?? 0),
  );
  expect(sources).toContain('src/base/errors.ts');
  expect(missed).toEqual([]);
});

test('docs/architecture.md shows the same table', () => {
  const page = read('docs/architecture.md').replace(/ +/g, ' ');
  expect(
    Object.keys(rooms)
      .map(roomAsRow)
      .filter((row) => !page.includes(row)),
  ).toEqual([]);
});

test('the compiler checks the pure folders without types of Node.js', () => {
  const { include } = JSON.parse(read('tsconfig.pure.json')) as { include: string[] };
  const pure = Object.entries(rooms).flatMap(([room, { pure: parts = [] }]) =>
    parts === true ? [`src/${room}`] : parts.map((part) => (part === '.' ? `src/${room}/*.ts` : `src/${room}/${part}`)),
  );
  expect(include.filter((path) => !path.endsWith('.d.ts')).toSorted()).toEqual(pure.toSorted());
});

test.each([
  ['wire/framing/newline.ts', "export * from '../jsonrpc/peer.ts';", 'wire/framing may not import wire/jsonrpc'],
  ['base/clock.ts', "import { spawn } from 'node:child_process';", 'base is pure'],
  ['mcp/client.ts', "const fs = await import('node:fs');", 'mcp is pure'],
  ['mcp/client.ts', "import { a } from '../wire/transport/byte-wire.ts';", 'mcp is pure and wire/transport is not'],
  ['wire/transport/a.ts', "import { spawn } from 'node:child_process';", 'only wire/process may import'],
  ['wire/transport/a.ts', "import type { Host } from '../../host/host.ts';", 'wire may not import host'],
  ['mcp/schema.ts', "import { Ajv } from 'ajv';", 'write `import()`'],
  ['mcp/schema.ts', "import { x } from '@standard-schema/spec';", 'write `import type`'],
  ['wire/process/spawn.ts', "import { execa } from 'execa';", 'wire may not import the package execa'],
  ['host/host.ts', "import { main } from '../app/cli/main.ts';", 'host may not import app'],
  ['host/gateway/gate.ts', "import { Host } from '../host.ts';", 'host/gateway may not import host, which is above it'],
  ['app/cli/main.ts', "import { it } from '../../../test/fixtures/server.ts';", 'outside of src'],
  ['app/cli/main.ts', 'await import(command);', 'a name must be written out'],
  ['app/cli/main.ts', "import { Peer } from 'standpipe/jsonrpc';", 'app may not import the package standpipe'],
  ['attic/old.ts', '', 'the folder attic is not in the table'],
])('the check reports %s with %s', (file, source, rule) => {
  const violations = checkImports(file, `// a comment first\n${source}`);
  expect(violations).toHaveLength(1);
  expect(violations[0]).toContain(`src/${file}`);
  expect(violations[0]).toContain(rule);
  if (source) expect(violations[0]).toContain(`src/${file}:2 imports `);
});

test('the check reports unused permissions', () => {
  const used = new Set<string>();
  checkImports(
    'litemcp/client.ts',
    "import { a } from '../base/errors.ts'; import { b } from '../mcp/service.ts';",
    used,
  );
  const unused = unusedPermissions(used);
  expect(unused).toContain('litemcp: wire');
  expect(unused).not.toContain('litemcp: mcp');
});

test.each([
  ['wire/jsonrpc/peer.ts', "import { toError } from '../../base/errors.ts'; import { parse } from './parse.ts';"],
  ['mcp/client.ts', "import type { Wire } from '../wire/wire.ts';"],
  [
    'mcp/schema.ts',
    "import type { StandardSchemaV1 } from '@standard-schema/spec'; const { Ajv } = await import('ajv/dist/2020.js');",
  ],
  ['wire/process/spawn.ts', "import { type ChildProcess, spawn } from 'node:child_process';"],
  ['wire/transport/http/headers.ts', "import { methodsOfMcp } from '../../../mcp/methods.ts';"],
  ['app/cli/commands/up.ts', "import { Host } from '../../../host/host.ts'; import { Command } from 'commander';"],
])('the check accepts %s with %s', (file, source) => {
  expect(checkImports(file, source)).toEqual([]);
});
