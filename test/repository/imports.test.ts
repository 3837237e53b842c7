// The architecture's import table, held true for every source file.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkImports } from './check-imports.ts';
import { repositoryFiles, root } from './files.ts';
import { importRules, ruleAsRow } from './import-rules.ts';
import { readImports } from './read-imports.ts';

const sources = repositoryFiles('src').filter((file) => /(?<!\.(?:test|contract|d))\.tsx?$/.test(file));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

test('every source file imports only what the table allows', () => {
  expect(sources.flatMap((file) => checkImports(file.slice('src/'.length), read(file)))).toEqual([]);
});

test('the sources are really read: no import that a plain search finds is missed', () => {
  const plainSearch = /^(?:(?:import|export|\}).* from|import) '[^']+';$/gm;
  const missed = sources.filter(
    (file) => readImports(read(file)).length < (read(file).match(plainSearch)?.length ?? 0),
  );
  expect(sources).toContain('src/base/errors.ts');
  expect(missed).toEqual([]);
});

test('docs/architecture.md shows the same table', () => {
  const page = read('docs/architecture.md').replace(/ +/g, ' ');
  const rows = Object.keys(importRules).map(ruleAsRow);
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

test.each([
  ['jsonrpc/peer.ts', "import { newline } from '../framing/newline.ts';", 'jsonrpc may not import framing'],
  ['framing/newline.ts', "export * from '../jsonrpc/peer.ts';", 'framing may not import jsonrpc'],
  ['base/clock.ts', "import { spawn } from 'node:child_process';", 'base is pure'],
  ['mcp/client.ts', "const fs = await import('node:fs');", 'mcp is pure'],
  ['transport/wire.ts', "import { spawn } from 'node:child_process';", 'only process may import node:child_process'],
  ['transport/wire.ts', "import type { Host } from '../host/host.ts';", 'transport may not import host'],
  ['mcp/client.ts', "import { type Wire } from '../transport/wire.ts';", 'write `import type`'],
  ['mcp/client.ts', "import type { A } from '../transport/byte-wire.ts';", 'of transport, mcp may use only types of'],
  ['mcp/schema.ts', "import { Ajv } from 'ajv';", 'write `import()`'],
  ['mcp/schema.ts', "import { x } from '@standard-schema/spec';", 'write `import type`'],
  ['flow/store.ts', "import { newline } from '../framing/newline.ts';", 'write `import type`'],
  ['process/spawn.ts', "import { execa } from 'execa';", 'process may not import the package execa'],
  ['host/host.ts', "import { main } from '../cli/main.ts';", 'host may not import cli'],
  ['cli/main.ts', "import { it } from '../../test/fixtures/server.ts';", 'outside of src'],
  ['cli/main.ts', 'await import(command);', 'a name must be written out'],
  ['cli/main.ts', "import { Peer } from 'standpipe/jsonrpc';", 'cli may not import the package standpipe'],
  ['attic/old.ts', '', 'the folder attic is not in the table'],
])('the check catches: %s with %s', (file, source, rule) => {
  const violations = checkImports(file, `// a comment first\n${source}`);
  expect(violations).toHaveLength(1);
  expect(violations[0]).toContain(`src/${file}`);
  expect(violations[0]).toContain(rule);
  if (source) expect(violations[0]).toContain(`src/${file}:2 imports `);
});

test.each([
  ['jsonrpc/peer.ts', "import { toError } from '../base/errors.ts'; import { parse } from './parse.ts';"],
  ['mcp/client.ts', "import type { Wire } from '../transport/wire.ts';"],
  [
    'mcp/schema.ts',
    "import type { StandardSchemaV1 } from '@standard-schema/spec'; const { Ajv } = await import('ajv/dist/2020.js');",
  ],
  ['process/spawn.ts', "import { type ChildProcess, spawn } from 'node:child_process';"],
  [
    'entry/litemcp.ts',
    "import { ChildWire } from '../transport/child-wire.ts'; export { a } from '../litemcp/client.ts';",
  ],
  ['cli/commands/up.ts', "import { Host } from '../../host/host.ts'; import { Command } from 'commander';"],
])('the check lets pass: %s with %s', (file, source) => {
  expect(checkImports(file, source)).toEqual([]);
});
