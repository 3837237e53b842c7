// Every file in scenarios/ is a scenario, named for the file. README.md says what such a file exports.

import { readdirSync } from 'node:fs';

const folder = new URL('scenarios/', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.mjs'))
  .map((file) => file.slice(0, -'.mjs'.length));

export async function loadScenario(name) {
  return { name, ...(await import(new URL(`${name}.mjs`, folder))) };
}

/** Loads all scenarios, or those that `only` names. */
export function loadScenarios(only) {
  const unknown = only.find((name) => !names.includes(name));
  if (unknown) {
    console.error(`unknown scenario "${unknown}"; the scenarios are ${names.join(', ')}`);
    process.exit(2);
  }
  return Promise.all((only.length > 0 ? only : names).map(loadScenario));
}
