// `npm run test:windows`: the unit tests and the scenarios of test/windows on Windows programs of Node.js, in Wine, on Linux. The tests in
// test/ take longer than both, and run only with --tests.
//
//   npm run test:windows                             Node.js 22
//   npm run test:windows -- --node 20,22,24          these versions
//   npm run test:windows -- launching 'killed host'  only scenarios whose file or title contains one of these words
//   npm run test:windows -- --units [file …]         only the unit tests
//   npm run test:windows -- --tests [file …]         only the tests in test/; slow ones, *.full.test.ts, if a file is named
//   npm run test:windows -- --list                   runs nothing: adds new scenarios to the table in docs/platforms.md
//
// STANDPIPE_WINE_ROOT names the folder of the Debian root; see windows/wine-root.mjs.

import { parseArgs } from 'node:util';
import { readScenarios } from '../test/windows/scenario.mjs';
import { isBuilt, prepareLibrary } from './prepare.mjs';
import { writeTable } from './windows/platform-table.mjs';
import { ensureNode, majors, readFromCopy, runInWine } from './windows/run-in-wine.mjs';
import { copyForWindows } from './windows/windows-copy.mjs';
import { ensureWineRoot, missingForWine } from './windows/wine-root.mjs';

const UNIT_TESTS = 'Unit tests';
const OTHER_TESTS = 'Tests in `test/`';
const MINUTE = 60_000;

const { values, positionals: words } = parseArgs({
  options: {
    node: { type: 'string', default: '22' },
    units: { type: 'boolean' },
    tests: { type: 'boolean' },
    list: { type: 'boolean' },
  },
  allowPositionals: true,
});
const titlesOf = async (given) => (await readScenarios(given)).map(({ title }) => title);
const titles = [UNIT_TESTS, OTHER_TESTS, ...(await titlesOf())];
if (values.list) {
  writeTable(titles, majors, new Map());
  process.exit(0);
}
const chosen = values.node.split(',');
const unknown = chosen.filter((major) => !majors.includes(major));
if (unknown.length > 0) stop(`Unknown version of Node.js: ${unknown}. Available: ${majors.join(', ')}.`);
const missing = missingForWine();
if (missing.length > 0)
  stop(`The tests in Wine cannot run here. Missing:\n${missing.map((each) => `- ${each}`).join('\n')}`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1)); // ends the processes in the root
if (!isBuilt()) await prepareLibrary();
await ensureWineRoot();
await copyForWindows();

const results = new Map();
const note = (title, major, outcome) => results.set(title, { ...results.get(title), [major]: outcome });
for (const major of chosen) {
  await ensureNode(major);
  const isDefault = !values.tests && !values.units && words.length === 0;
  if (values.units || isDefault) await runVitest(major, UNIT_TESTS, 'units');
  if (values.tests) await runVitest(major, OTHER_TESTS, 'processes');
  if (!values.units && !values.tests) await runScenarios(major);
  writeTable(titles, majors, results);
}
const failed = [...results].filter(([, cells]) => Object.values(cells).some((cell) => cell === 'failed'));
for (const [title, cells] of failed)
  console.log(`failed: ${title} (${Object.keys(cells).filter((major) => cells[major] === 'failed')})`);
console.log(`${results.size - failed.length} of ${results.size} passed; docs/platforms.md has the table`);
process.exit(failed.length > 0 ? 1 : 0);

async function runVitest(major, title, project) {
  console.log(`\n${title}, Node ${major}`);
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...words];
  const quick = words.length === 0 ? { STANDPIPE_QUICK_TESTS: '1' } : {};
  const code = await runInWine(major, args, print, 60 * MINUTE, quick);
  if (code !== 0) note(title, major, 'failed');
  else if (words.length === 0) note(title, major, 'passed'); // a filtered run does not cover the rest
}

async function runScenarios(major) {
  console.log(`\nScenarios, Node ${major}`);
  const file = `windows-results-${major}.jsonl`;
  const code = await runInWine(major, ['test/windows/driver.mjs', file, ...words], print, 60 * MINUTE);
  const lines = readFromCopy(file)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  for (const title of await titlesOf(words)) {
    const { outcome, fault } = lines.find((line) => line.title === title) ?? { outcome: 'failed' }; // the scenario was not reached
    note(title, major, fault ? `[fault of Wine](#${fault})` : outcome);
  }
  if (code !== 0) console.log(`The driver ended with ${code}`);
}

function print(text) {
  process.stdout.write(text);
}

function stop(message) {
  console.error(message);
  process.exit(2);
}
