import { expect, test } from 'vitest';
import { AskingTools } from './asking-tools.ts';

test('one principal displaces neither the suspected and known tools of others, nor declared ones', () => {
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

test('suspicion is limited to one principal, whatever its name is', () => {
  const tools = new AskingTools();
  tools.suspected('b\nc', 'a');
  expect(tools.has('c', 'a\nb')).toBe(false);
  expect(tools.has('b\nc', 'a')).toBe(true);
});

test('a tool is no longer suspected after three runs without a question', () => {
  const tools = new AskingTools();
  tools.suspected('tool', 'ada');
  for (const isLeft of [true, true, false]) {
    tools.ranSilently('tool', 'ada');
    expect(tools.has('tool', 'ada')).toBe(isLeft);
  }
  expect(tools.isEmpty).toBe(true);
});

test('limits the data of all principals in total', () => {
  const tools = new AskingTools();
  for (let n = 0; n < 1000; n++) tools.suspected('tool', `principal ${n}`);
  expect(tools.has('tool', 'principal 999')).toBe(true);
  expect(tools.has('tool', 'principal 0')).toBe(false);
});
