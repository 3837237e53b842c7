import { expect, test } from 'vitest';
import { serverColour } from '../../ui/src/parts/server-colour.ts';

test('each server has its own colour, which does not change', () => {
  const names = Array.from({ length: 64 }, (_, at) => `server-${at}`);
  const colours = names.map(serverColour);
  expect(new Set(colours).size).toBe(64);
  expect(names.map(serverColour)).toEqual(colours);
});
