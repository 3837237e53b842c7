import { expect, test } from 'vitest';
import { printContent } from './content.ts';
import { Output } from './output.ts';

const list = [{ name: 'a' }];

test.each([
  ['the whole content', JSON.stringify({ list }), { list }, false],
  ['its only member', JSON.stringify(list, undefined, 2), { list }, false],
  ['one of its members', JSON.stringify(list), { list, total: 1 }, true],
  ['something else', 'Found 1', { list }, true],
])('shows text beside structured content that is %s', async (_, text, structured, isShown) => {
  let stdout = '';
  const write = (chunk: string) => {
    stdout += chunk;
    return true;
  };
  const stream = { write, isTTY: false } as unknown as NodeJS.WriteStream;
  const out = new Output({ stdout: stream, stderr: stream, env: {}, json: false });
  await printContent([{ type: 'text', text }], structured, undefined, out);
  expect(stdout).toBe(`${isShown ? `${text}\n` : ''}${JSON.stringify(structured, undefined, 2)}\n`);
});
