// docs/errors.md explains exactly the codes that an error can have.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { peerErrorCodes, processErrorCodes, rpcErrorCodes, usageErrorCodes } from '../../src/base/error-codes.ts';
import { root } from './files.ts';
import { headings } from './markdown.ts';

const codes = {
  RpcError: rpcErrorCodes,
  PeerError: peerErrorCodes,
  ProcessError: processErrorCodes,
  UsageError: usageErrorCodes,
};
const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
const sections = headings(page);

/** The codes that each section explains; a section is named after a class. */
const explained = new Map<string, string[]>();
let section: string[] = [];
for (const { level, text } of sections) {
  if (level === 2) {
    section = [];
    explained.set(text, section);
  } else if (level === 3) section.push(text);
}

test.each(Object.entries(codes))('the section %s explains its codes, each once', (name, expected) => {
  expect(explained.get(name)?.toSorted()).toEqual(expected.toSorted());
});

test('no other section explains a code', () => {
  const others = [...explained].filter(([name]) => !Object.hasOwn(codes, name));
  expect(others.flatMap(([, explainedCodes]) => explainedCodes)).toEqual([]);
});

test.each(Object.values(codes).flat())('%s has a cause and a fix', (code) => {
  const body = sections.find(({ text }) => text === code)?.body ?? '';
  expect(body).toMatch(/^\*\*Cause\.\*\* +\S+/m);
  expect(body).toMatch(/^\*\*Cure\.\*\* +\S+/m);
});
