// docs/config.md shows valid configs, and the keys of the code. UPDATE_CONFIG=1 rewrites the keys.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { discoveredPlaces, usedPlaces } from '../../src/config/files/places.ts';
import { fileKeys, formatsOfRemotes, inputKeys, keysOfOthers } from '../../src/config/read/keys.ts';
import { read } from '../../src/config/read-text.contract.ts';
import { replaceBetween } from '../interop/matrix-table.ts';
import { root } from './fixtures.ts';
import { tableMarkdown, tables } from './keys-page.ts';

const path = join(root, 'docs/config.md');
const page = readFileSync(path, 'utf8');
const examples = [...page.matchAll(/^```jsonc?\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);

test('docs/config.md has examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(3);
});

test.each(examples)('an example is valid: %s', async (text) => {
  const { servers, problems } = await read(text, {
    env: { WEATHER_API_KEY: 'k3y', TICKETS_TOKEN: 't0ken' },
    files: { '/project/.env': '' },
    askInput: () => 'answer',
  });
  expect(problems).toEqual([]);
  expect(servers.length).toBeGreaterThan(0);
});

test('its tables match the keys', () => {
  const updated = tables.reduce(
    (text, table) =>
      replaceBetween(text, `<!-- keys of ${table.title} -->`, `<!-- end of ${table.title} -->`, tableMarkdown(table)),
    page,
  );
  if (process.env.UPDATE_CONFIG) writeFileSync(path, updated);
  else expect(updated).toBe(page);
});

test('keys that are in no table are explained', () => {
  const ofInputs = Object.keys(inputKeys).filter((key) => ['id', 'default', 'password'].includes(key));
  const all = [...Object.keys({ ...fileKeys, ...formatsOfRemotes, ...keysOfOthers }), ...ofInputs];
  expect(all.filter((key) => !new RegExp(`[\`"]${key.replace('$', '\\$')}[\`"]`).test(page))).toEqual([]);
});

test('the page lists the searched places in order', () => {
  const surroundings = { cwd: '', home: '~', env: {}, platform: 'linux' } as const;
  const places = usedPlaces(surroundings).map(({ file }, index) => `${index + 1}. \`${file}\``);
  expect(page).toContain(places.join('\n'));
});

test('docs/hosts.md lists every file of every host, on every platform', () => {
  const hosts = readFileSync(join(root, 'docs/hosts.md'), 'utf8');
  const env = { APPDATA: 'C:\\%APPDATA%', LOCALAPPDATA: 'C:\\%LOCALAPPDATA%' };
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    for (const { file, host } of discoveredPlaces({ platform, cwd: '.', home: '~', env })) {
      const path = file.startsWith('C:') ? file.slice(3) : file.replaceAll('\\', '/');
      expect(hosts).toContain(`\`${/^[~%]/.test(path) ? path : `./${path}`}\``);
      if (host) expect(hosts).toContain(`| ${host.title} `);
    }
  }
});
