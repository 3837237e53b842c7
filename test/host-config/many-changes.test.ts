// Counts parses of the whole text. This file is not beside the code, because unit tests share modules, so that a loaded
// package cannot be replaced there.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { changeConfig } from '../../src/config/edit/change-config.ts';
import { editServers } from '../../src/config/edit/edit-servers.ts';
import { placeOf } from '../../src/config/files/places.ts';
import { systemContext } from '../../src/config/system-context.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const parses = vi.hoisted(() => ({ count: 0 }));
const { counted } = vi.hoisted(() => ({
  counted:
    (...names: string[]) =>
    async (original: () => Promise<Record<string, unknown>>) => {
      const module = await original();
      const wrapped = names.map((name) => {
        const parse = module[name] as (...args: unknown[]) => unknown;
        const count = (...args: unknown[]) => {
          parses.count += 1;
          return parse(...args);
        };
        return [name, count] as const;
      });
      return { ...module, ...Object.fromEntries(wrapped) };
    },
}));
vi.mock('jsonc-parser', counted('parseTree'));
vi.mock('yaml', counted('parse', 'parseDocument'));
vi.mock('@decimalturn/toml-patch', counted('parse', 'parseDocument'));

const folder = temporaryFolder('many-changes');
const context = systemContext({ cwd: folder, home: join(folder, 'home'), env: { PATH: process.env.PATH } });
const named = (count: number, entry: object) =>
  Array.from({ length: count }, (_, n) => ({ name: `s${n}`, entry: { ...entry } as Record<string, unknown> }));
const countParses = async (work: () => Promise<unknown>) => {
  parses.count = 0;
  await work();
  return parses.count;
};

test.each(['json', 'toml', 'yaml'] as const)(
  'parses a text of %s equally often for few and many changes',
  async (format) => {
    const at = { file: 'x', format, path: ['servers'] };
    const edit = (count: number) =>
      countParses(async () => {
        const added = await editServers('', at, named(count, { command: 'node' }));
        const mixed = [...named(count, { command: 'other' }), { name: 'new', entry: { command: 'new' } }];
        const replaced = await editServers(added, at, mixed);
        expect(replaced.match(/other/g)).toHaveLength(count);
        expect(replaced.match(/node/g)).toBeNull();
      });
    const few = await edit(2);
    expect(few).toBeGreaterThan(0);
    expect(await edit(50)).toBe(few);
  },
);

test('parses a config equally often for few and many servers, even if they are refused', async () => {
  const change = (count: number, file: string) =>
    countParses(async () => {
      const refused = new Set<string>();
      const valid = named(count, { command: 'node' }).map(({ entry }, n) => ({ name: `valid${n}`, entry }));
      const servers = [...valid, ...named(count, { command: 'node', cwd: 5 })];
      const onRefused = (name: string) => void refused.add(name);
      await changeConfig(placeOf(file, context), { ...context, create: true, plan: () => ({ servers }), onRefused });
      expect([...refused]).toEqual(named(count, {}).map(({ name }) => name));
      const written = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      expect(Object.keys(written.mcpServers)).toEqual(valid.map(({ name }) => name));
    });
  const few = await change(2, 'few.json');
  expect(few).toBeGreaterThan(0);
  expect(await change(50, 'many.json')).toBe(few);
});
