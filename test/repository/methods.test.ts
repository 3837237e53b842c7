// src/mcp/methods.ts contains every method of MCP, and no other file contains a list of methods.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { methodsOfMcp } from '../../src/mcp/methods.ts';
import { repositoryFiles, root } from './files.ts';

/** Experimental in the schema of 2025-11-25, and an extension since. */
const ofExtensions = /^(?:notifications\/)?tasks\b/;

test.each([
  ['@modelcontextprotocol/sdk/types.js', 'until 2025-11-25'],
  ['@modelcontextprotocol/core', '2026-07-28'],
])('the table has the methods of %s', (name) => {
  const folder = dirname(createRequire(import.meta.url).resolve(name));
  const scripts = readdirSync(folder).filter((file) => /\.c?js$/.test(file));
  const text = scripts.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  const official = [...text.matchAll(/\bmethod:\s*[\w$.]*literal\(["']([\w/]+)["']\)/g)].map(([, method]) => method!);
  expect(official.length).toBeGreaterThan(20);
  expect(official.filter((method) => !methodsOfMcp.has(method) && !ofExtensions.test(method))).toEqual([]);
});

test('no other file contains a list of methods', () => {
  const methods = [...methodsOfMcp.keys()].map((method) => `'${method}'`).join('|');
  // Methods separated only by brackets, commas and words: an array, a set, or the entries of a map or an object.
  const list = new RegExp(String.raw`(?:${methods})(?:[\s\w,:'"[\]{}]*?(?:${methods})){2}`, 'g');
  const sources = repositoryFiles('src').filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && file !== 'src/mcp/methods.ts',
  );
  const found = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(list)].map(([match]) => `${file}: ${match}`),
  );
  expect(found).toEqual([]);
});
