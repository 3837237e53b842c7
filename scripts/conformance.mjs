// `npm run conformance`: runs the official conformance suite on our servers and our client, over HTTP, in each revision
// that it has requirements for. A failure or warning of a check is an error unless expected-failures.json lists it; a
// listed entry that does not fail is an error too. Arguments select: `npm run conformance -- --way official --revision
// 2026-07-28 --scenario caching`.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchSuite } from './conformance/suite.mjs';
import { fixtures, WAYS } from './conformance/ways.mjs';
import { prepareLibrary } from './prepare.mjs';

const REVISIONS = ['2025-11-25', '2026-07-28'];

const { values: chosen } = parseArgs({
  options: { way: { type: 'string' }, revision: { type: 'string' }, scenario: { type: 'string' } },
});
const ways = choose('way', Object.keys(WAYS));
const revisions = choose('revision', REVISIONS);

await prepareLibrary();
const suite = await fetchSuite(chosen.scenario);
const expected = JSON.parse(readFileSync(join(fixtures, 'expected-failures.json'), 'utf8'));
const runs = ways.flatMap((way) =>
  revisions.filter((revision) => isTested(way, revision)).map((revision) => ({ way, revision, scenarios: [] })),
);
await inParallel(runs, run);
for (const each of runs.filter(({ way }) => WAYS[way].leg === 'client')) await run(each, 'timed');
if (runs.every(({ scenarios }) => scenarios.length === 0)) {
  console.error(`The scenario ${chosen.scenario} exists in no revision`);
  process.exit(2);
}
report();

/** Runs a combination that a way omits only if both are named. */
function isTested(way, revision) {
  return WAYS[way].revisions?.includes(revision) !== false || Boolean(chosen.way && chosen.revision);
}

function choose(option, all) {
  const given = chosen[option];
  if (given === undefined) return all;
  if (all.includes(given)) return [given];
  console.error(`Unknown ${option}: ${given}. Available: ${all.join(', ')}.`);
  process.exit(2);
}

/** Runs as many at a time as there are processors. */
async function inParallel(all, work) {
  const waiting = [...all];
  const next = async () => {
    for (let each = waiting.shift(); each; each = waiting.shift()) await work(each);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
}

async function run(each, timed) {
  const { leg, serve, extensions } = WAYS[each.way];
  const { target, close } = await serve();
  try {
    if (timed) await suite.runTimed(leg, each.revision, target, each.scenarios);
    else each.scenarios = await suite.run(leg, each.revision, target, extensions);
  } finally {
    await close();
  }
}

function report() {
  const heading = 'required scenarios passed';
  const width = Math.max(heading.length, ...ways.map((way) => WAYS[way].title.length));
  console.log(`\n${heading.padEnd(width)}  ${revisions.map((each) => each.padEnd(10)).join('  ')}`);
  for (const way of ways) {
    const counts = revisions.map((revision) => {
      const scenarios = scenariosRun(way, revision);
      return (scenarios ? passed(scenarios, true) : 'not run').padEnd(10);
    });
    console.log(`${WAYS[way].title.padEnd(width)}  ${counts.join('  ')}`.trimEnd());
  }
  for (const each of runs) reportRun(each);
  for (const { way, revision, scenario, check } of expected.filter(isStale)) {
    console.log(
      `\nstale: ${way} ${revision} ${scenario} ${check} does not fail; remove it from expected-failures.json`,
    );
    process.exitCode = 1;
  }
}

/** Returns undefined if the scenarios were not run. */
function scenariosRun(way, revision) {
  return runs.find((each) => each.way === way && each.revision === revision)?.scenarios;
}

function passed(scenarios, isRequired) {
  const counted = scenarios.filter((each) => each.isRequired === isRequired);
  return `${counted.filter(({ failing }) => failing.length === 0).length} of ${counted.length}`;
}

function reportRun({ way, revision, scenarios }) {
  console.log(`\n${WAYS[way].title}, ${revision}`);
  for (const { name, failing } of scenarios.filter(({ isRequired }) => isRequired)) {
    for (const { id, status, description, errorMessage = description } of failing) {
      const entry = expected.find((each) => isEntryOf(each, way, revision, name) && each.check === id);
      if (!entry) process.exitCode = 1;
      console.log(`  ${entry ? 'expected' : 'UNEXPECTED'} ${status.toLowerCase()}: ${name} ${id}`);
      console.log(`    ${errorMessage}${entry ? `\n    expected: ${entry.reason}` : ''}`);
    }
  }
  const failed = scenarios.filter(({ isRequired, failing }) => !isRequired && failing.length > 0);
  const names = failed.length > 0 ? `; failed: ${failed.map(({ name }) => name).join(', ')}` : '';
  console.log(`  not required: ${passed(scenarios, false)} passed${names}`);
}

function isEntryOf(entry, way, revision, scenario) {
  return entry.way === way && entry.revision === revision && entry.scenario === scenario;
}

/** Entries of scenarios that were not run cannot be judged. */
function isStale(entry) {
  const scenarios = scenariosRun(entry.way, entry.revision);
  if (!scenarios || (chosen.scenario && chosen.scenario !== entry.scenario)) return false;
  const scenario = scenarios.find(({ name, isRequired }) => name === entry.scenario && isRequired);
  return !scenario?.failing.some(({ id }) => id === entry.check);
}
