// The configs in the fixtures.

import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const configs = join(root, 'test/fixtures/configs');

export function fixture(name: string): string {
  return join(configs, name);
}

/** The valid configs. */
export const goodConfigs: readonly string[] = readdirSync(fixture('good'))
  .filter((name) => !name.endsWith('.env'))
  .map((name) => `good/${name}`);
