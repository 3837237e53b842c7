// `npm run conformance`: the official conformance suite against our servers, over HTTP, in each revision that it has
// requirements for. A failure or warning of a check is an error unless expected-failures.json has it, and so is an entry
// there that does not fail. Arguments choose: `npm run conformance -- --way official --revision 2026-07-28 --scenario caching`.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchNode, versionOf } from './node-binaries.mjs';
import { installArguments, prepareLibrary, root, step } from './prepare.mjs';

const SUITE = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';
/** The suite needs 22 or later; our servers run on the version that runs this script. */
const NODE_OF_SUITE = versionOf('22');
const REVISIONS = ['2025-11-25', '2026-07-28'];
/** The suite adds it to every scenario: all messages fit the schema of the specification. */
const CHECK_OF_ALL = 'wire-schema-valid';
const fixtures = join(root, 'test/fixtures/conformance');
/** What a server may ask its clients for. In 2025-11-25 it learns that once, before any of them comes. */
const ASKABLE = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/**
 * Each serves without a token: the suite sends none. Before 2026-07-28 a question of a server has no name and names no
 * request, which scenarios of that revision ask for: a server that is used in 2025-11-25 is tested with clients of its own era.
 */
const WAYS = {
  direct: { title: 'our Server over HTTP', serve: serveDirectly },
  ours: { title: 'our stdio server behind the gateway', serve: () => serveBehind('our-server.mjs') },
  official: { title: 'official stdio server behind the gateway', serve: () => serveBehind('official-server.mjs') },
  'ours-legacy': {
    title: 'our stdio server, used in 2025-11-25',
    serve: () => serveBehind('our-server.mjs', '2025-11-25'),
    revisions: ['2025-11-25'],
  },
  'official-legacy': {
    title: 'official stdio server, used in 2025-11-25',
    serve: () => serveBehind('official-server.mjs', '2025-11-25'),
    revisions: ['2025-11-25'],
  },
};

const { values: chosen } = parseArgs({
  options: { way: { type: 'string' }, revision: { type: 'string' }, scenario: { type: 'string' } },
});
const ways = choose('way', Object.keys(WAYS));
const revisions = choose('revision', REVISIONS);

await prepareLibrary();
const suite = await fetchSuite();
const node = await fetchNode(NODE_OF_SUITE);
const expected = JSON.parse(readFileSync(join(fixtures, 'expected-failures.json'), 'utf8'));
const runs = [];
for (const way of ways) {
  for (const revision of revisions.filter((each) => isTested(way, each)))
    runs.push({ way, revision, scenarios: await run(way, revision) });
}
if (runs.every(({ scenarios }) => scenarios.length === 0)) {
  console.error(`No revision has the scenario ${chosen.scenario}`);
  process.exit(2);
}
report();

/** What a way leaves out is run when both are named. */
function isTested(way, revision) {
  return WAYS[way].revisions?.includes(revision) !== false || Boolean(chosen.way && chosen.revision);
}

function choose(option, all) {
  const given = chosen[option];
  if (given === undefined) return all;
  if (all.includes(given)) return [given];
  console.error(`Unknown ${option}: ${given}. There are ${all.join(', ')}.`);
  process.exit(2);
}

/** Gives the folder of the package, which an earlier run may have left. */
async function fetchSuite() {
  const folder = `node_modules/.cache/conformance/${VERSION}`;
  const installed = join(root, folder, 'node_modules', SUITE);
  if (existsSync(join(installed, 'dist/index.js'))) return installed;
  mkdirSync(join(root, folder), { recursive: true });
  const alone = ['--prefix', folder, '--ignore-scripts', '--no-save', '--no-package-lock'];
  await step(`fetch ${SUITE} ${VERSION}`, 'npm', [...installArguments, ...alone, `${SUITE}@${VERSION}`]);
  return installed;
}

async function serveDirectly() {
  const { serveHttp } = await import('standpipe/http');
  const { conformanceServer } = await import('../test/fixtures/conformance/our-server.mjs');
  return serveHttp(conformanceServer(), { token: false });
}

/** A process that speaks stdio, supervised by a host; in the newest revision that both know unless one is given. */
async function serveBehind(file, revision) {
  const { serveHttp } = await import('standpipe/http');
  const { Host } = await import('standpipe/host');
  const entry = { command: process.execPath, args: [join(fixtures, file)], ...(revision && { revision }) };
  const inputs = () => (revision ? { capabilities: ASKABLE } : {});
  const host = new Host({ mcpServers: { conformance: entry } }, { inputs });
  await host.start();
  const serving = await serveHttp(host.service('conformance'), { token: false });
  return {
    url: serving.url,
    async close() {
      await serving.close();
      await host.stop();
    },
  };
}

/** Gives what each scenario found, those first that the revision requires. */
async function run(way, revision) {
  const { required, others } = scenariosOf(revision);
  const names = [...required, ...others];
  if (names.length === 0) return [];
  const results = mkdtempSync(join(tmpdir(), 'conformance-'));
  const serving = await WAYS[way].serve();
  try {
    const choice = chosen.scenario
      ? ['--scenario', chosen.scenario, '--spec-version', revision, '--force']
      : ['--requirements', revision];
    const args = [join(suite, 'dist/index.js'), 'server', '--url', serving.url, '--output-dir', results, ...choice];
    const output = await outputOf(node, args);
    if (readdirSync(results).length === 0) throw new Error(`The suite has no results:\n${output}`);
    return names.map((name) => readScenario(results, name, required.includes(name)));
  } finally {
    await serving.close();
    rmSync(results, { recursive: true });
  }
}

/** On both streams. The suite ends with 1 when a check fails; that is read from its results. */
function outputOf(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

/** Of the suite's requirements: lists of plain names, and of entries with a name and a leg. */
function scenariosOf(revision) {
  const yaml = readFileSync(join(suite, `requirements/${revision}.yaml`), 'utf8');
  const required = /^server:\n((?: {2}- .*\n)+)/m.exec(yaml)[1].match(/[^ \n-].*/g);
  const others = [...yaml.matchAll(/- scenario: (.*)\n {4}leg: server/g)].map(([, name]) => name);
  const only = (names) => names.filter((name) => chosen.scenario === undefined || name === chosen.scenario);
  return { required: only(required), others: only(others) };
}

/** A scenario without results did not end, and one in which no check of its own succeeded has tested nothing. */
function readScenario(results, name, isRequired) {
  const folder = readdirSync(results).find((each) => each.replace(/-\d{4}-\d\d-\d\dT.*$/, '') === `server-${name}`);
  const file = folder && join(results, folder, 'checks.json');
  const checks = file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  const failing = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (failing.length === 0 && !checks.some(({ id, status }) => status === 'SUCCESS' && id !== CHECK_OF_ALL)) {
    failing.push({ id: name, status: 'FAILURE', errorMessage: 'no check succeeded' });
  }
  return { name, isRequired, failing };
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

/** Undefined if they were not run. */
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
    for (const { id, status, errorMessage } of failing) {
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

/** Only what ran can tell. */
function isStale(entry) {
  const scenarios = scenariosRun(entry.way, entry.revision);
  if (!scenarios || (chosen.scenario && chosen.scenario !== entry.scenario)) return false;
  const scenario = scenarios.find(({ name, isRequired }) => name === entry.scenario && isRequired);
  return !scenario?.failing.some(({ id }) => id === entry.check);
}
