import { expect, test } from 'vitest';
import { AskingTools } from './asking-tools.ts';

test('one principal displaces neither what is suspected nor what is known because of others, nor what is declared', () => {
  const tools = new AskingTools(['declared']);
  tools.suspected('suspect', 'ada');
  tools.asked('asks', 'ada');
  for (let n = 0; n < 5000; n++) {
    tools.suspected(`s${n}`, 'mallory');
    tools.asked(`k${n}`, 'mallory');
  }
  expect(tools.has('suspect', 'ada')).toBe(true);
  for (const name of ['asks', 'declared']) expect(tools.has(name, 'grace')).toBe(true);
  expect(tools.names.length).toBeLessThanOrEqual(3 + 2 * 256);
  expect(tools.has('s4999', 'mallory')).toBe(true);
  expect(tools.has('s0', 'mallory')).toBe(false);
});

test('a suspicion concerns one principal, whatever its name is', () => {
  const tools = new AskingTools();
  tools.suspected('b\nc', 'a');
  expect(tools.has('c', 'a\nb')).toBe(false);
  expect(tools.has('b\nc', 'a')).toBe(true);
});

test('a suspect that ran three times without a question is no longer one', () => {
  const tools = new AskingTools();
  tools.suspected('tool', 'ada');
  for (const isLeft of [true, true, false]) {
    tools.ranSilently('tool', 'ada');
    expect(tools.has('tool', 'ada')).toBe(isLeft);
  }
  expect(tools.isEmpty).toBe(true);
});

test('what is kept for principals is bounded in all', () => {
  const tools = new AskingTools();
  for (let n = 0; n < 1000; n++) tools.suspected('tool', `principal ${n}`);
  expect(tools.has('tool', 'principal 999')).toBe(true);
  expect(tools.has('tool', 'principal 0')).toBe(false);
});
