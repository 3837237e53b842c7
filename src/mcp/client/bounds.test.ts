// Limits for data that a server, or a long process run, could make grow without end.

import { expect, test } from 'vitest';
import { BoundedEraMemory } from './opening/era-memory.ts';
import { Warnings } from './warnings.ts';

test('the era memory keeps the newest entries', () => {
  const memory = new BoundedEraMemory(2);
  memory.set('a', 'legacy');
  memory.set('b', 'legacy');
  memory.set('a', 'modern');
  memory.set('c', 'transcript');
  expect([memory.get('a'), memory.get('b'), memory.get('c')]).toEqual(['modern', undefined, 'transcript']);
});

test('warns once for each kind, with a total limit', () => {
  const told: string[] = [];
  const warnings = new Warnings(({ topic }) => told.push(topic));
  for (let n = 0; n < 1000; n++) {
    warnings.report('same', 'again');
    warnings.report('different', `tool ${n}`, String(n));
  }
  expect(told.filter((topic) => topic === 'same')).toHaveLength(1);
  expect(told).toHaveLength(200);
  expect(warnings.list).toHaveLength(200);
});

test('a warning that quotes the server keeps only the quoted part', () => {
  const warnings = new Warnings();
  const said = 'x'.repeat(1_000_000);
  for (let n = 0; n < 300; n++) warnings.report('startup', `While starting: ${n} ${said}`, `${n} ${said}`);
  expect(warnings.list).toHaveLength(200);
  for (const { message } of warnings.list) expect(message.length).toBeLessThan(2100);
});
