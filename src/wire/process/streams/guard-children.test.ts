import { expect, test } from 'vitest';
import { guardedStdio } from './guard-children.ts';

test('replaces our stdin by nothing, and our stdout by our stderr', () => {
  expect(guardedStdio('inherit')).toEqual(['ignore', 2, 2]);
  expect(guardedStdio(['inherit', 'inherit', 'inherit'])).toEqual(['ignore', 2, 'inherit']);
  expect(guardedStdio([0, 1, 2])).toEqual(['ignore', 2, 2]);
  expect(guardedStdio(['pipe', 'pipe', 1])).toEqual(['pipe', 'pipe', 2]);
  expect(guardedStdio(['ignore', 'pipe', 'pipe', 0])).toEqual(['ignore', 'pipe', 'pipe', 'ignore']);
  expect(guardedStdio([{ fd: 0 } as never, { fd: 1 } as never])).toEqual(['ignore', 2]);
});

test('passes other values unchanged', () => {
  expect(guardedStdio('pipe')).toBe('pipe');
  expect(guardedStdio('ignore')).toBe('ignore');
  const entries = ['pipe', 'ignore', 'inherit', 'ipc', 5, null, undefined, 'inherit'] as never;
  expect(guardedStdio(entries)).toEqual(entries);
});
