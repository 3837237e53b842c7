// docs/config.md shows configs that work and defaults that are real.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { discoveredPlaces, usedPlaces } from '../../src/config/files/places.ts';
import {
  commandKeys,
  fileKeys,
  inputKeys,
  keysOfOthers,
  oauthKeys,
  placeKeys,
  remoteKeys,
  restartKeys,
  shareKeys,
  spellingsOfRemotes,
  stopKeys,
  toolsKeys,
} from '../../src/config/read/known-keys.ts';
import { defaultPlace } from '../../src/config/read/place.ts';
import { read } from '../../src/config/read-text.contract.ts';
import { defaultRestart, defaultShare } from '../../src/config/server-config.ts';
import { defaultStopWaits } from '../../src/process/tree/stop-ladder.ts';
import { root } from './fixtures.ts';

const page = readFileSync(join(root, 'docs/config.md'), 'utf8');
const examples = [...page.matchAll(/^```jsonc?\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);

test('there are examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(3);
});

test.each(examples)('an example has nothing wrong with it: %s', async (text) => {
  const { servers, problems } = await read(text, {
    env: { WEATHER_API_KEY: 'k3y', TICKETS_TOKEN: 't0ken' },
    files: { '/project/.env': '' },
    askInput: () => 'answer',
  });
  expect(problems).toEqual([]);
  expect(servers.length).toBeGreaterThan(0);
});

test('every key is explained', () => {
  const ofInputs = inputKeys.filter((key) => ['id', 'default', 'password'].includes(key));
  const all = [
    ...fileKeys,
    ...commandKeys,
    ...remoteKeys,
    ...spellingsOfRemotes,
    ...oauthKeys,
    ...restartKeys,
    ...shareKeys,
    ...placeKeys,
    ...stopKeys,
    ...toolsKeys,
    ...keysOfOthers,
    ...ofInputs,
  ];
  expect(all.filter((key) => !new RegExp(`[\`"]${key.replace('$', '\\$')}[\`"]`).test(page))).toEqual([]);
});

test.each(Object.entries({ ...defaultRestart, ...defaultShare, ...defaultPlace, ...defaultStopWaits }))(
  'the default of %s is %j',
  (key, value) => {
    // Tables may be padded.
    const row = page
      .split('\n')
      .map((line) => line.replace(/ +/g, ' '))
      .find((line) => line.startsWith(`| \`${key}\` |`));
    expect(row?.endsWith(`\`${JSON.stringify(value)}\` |`)).toBe(true);
  },
);

test('the places are in their order', () => {
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
