// The official conformance suite: downloads it, runs the scenarios of a revision, and reads their results.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fetchNode, versionOf } from '../node-binaries.mjs';
import { installArguments, root, step } from '../prepare.mjs';

const SUITE = '@modelcontextprotocol/conformance';
const VERSION = '0.2.0-alpha.12';
/** The suite needs Node.js 22 or later; our servers and clients run on the version that runs this script. */
const NODE_OF_SUITE = versionOf('22');
/** A check that the suite adds to every scenario: all messages match the schema of the specification. */
const CHECK_OF_ALL = 'wire-schema-valid';
/** Scenarios that compare times with a tolerance of milliseconds, so they run alone. */
const TIMED = ['sse-retry'];
/** Large, because the suite starts the clients of all scenarios at once, and they wait for each other. */
const CLIENT_TIMEOUT_MS = 300_000;
/** The last line of our client after a successful scenario. */
const DONE = 'done';

/** Downloads the package and its Node.js unless they are cached. `only`: the name of the one scenario to run. */
export async function fetchSuite(only) {
  const folder = `node_modules/.cache/conformance/${VERSION}`;
  const installed = join(root, folder, 'node_modules', SUITE);
  if (!existsSync(join(installed, 'dist/index.js'))) {
    mkdirSync(join(root, folder), { recursive: true });
    const alone = ['--prefix', folder, '--ignore-scripts', '--no-save', '--no-package-lock'];
    await step(`fetch ${SUITE} ${VERSION}`, 'npm', [...installArguments, ...alone, `${SUITE}@${VERSION}`]);
  }
  return new Suite(installed, await fetchNode(NODE_OF_SUITE), only);
}

/** Scenarios of an extension that are missing in the requirements, by the tested side. */
const SKILLS = {
  server: ['sep-2640-skills-directory', 'sep-2640-skills-enumeration', 'sep-2640-skills-manifest'],
  client: [
    'sep-2640-client-no-prefetch',
    'sep-2640-client-verify-digest',
    'sep-2640-client-verify-size',
    'sep-2640-client-verify-frontmatter',
  ],
};

class Suite {
  constructor(folder, node, only) {
    Object.assign(this, { folder, node, only });
  }

  /**
   * `leg`: the tested side, 'server' or 'client'. `extensions`: extensions whose scenarios must pass too. Returns the
   * result of each scenario, required ones first.
   */
  async run(leg, revision, target, extensions = []) {
    const { required, others } = this.#scenariosOf(leg, revision);
    const names = [...required, ...others];
    const further = extensions.includes('skills')
      ? SKILLS[leg].filter((name) => this.only === undefined || name === this.only)
      : [];
    const apart = [];
    for (const name of revision === '2026-07-28' ? further : []) {
      apart.push(await this.#runOne(leg, revision, target, name, true));
    }
    if (names.length === 0) return apart;
    const mustPass = (name) => required.includes(name) || (extensions.includes('tasks') && name.startsWith('tasks-'));
    const choice = this.only ? this.#one(this.only, revision) : ['--requirements', revision];
    const found = await this.#start(leg, target, choice, (results) =>
      names.map((name) => readScenario(results, leg, name, mustPass(name))),
    );
    return [...found, ...apart];
  }

  /** Repeats the scenarios that measure time, alone. */
  async runTimed(leg, revision, target, scenarios) {
    for (const [at, { name, isRequired }] of scenarios.entries()) {
      if (TIMED.includes(name)) scenarios[at] = await this.#runOne(leg, revision, target, name, isRequired);
    }
  }

  #runOne(leg, revision, target, name, isRequired) {
    return this.#start(leg, target, this.#one(name, revision), (results) =>
      readScenario(results, leg, name, isRequired),
    );
  }

  #one(name, revision) {
    return ['--scenario', name, '--spec-version', revision, '--force'];
  }

  /** Runs the chosen scenarios. Returns the result of `read` on the folder of their results. */
  async #start(leg, target, choice, read) {
    const results = mkdtempSync(join(tmpdir(), 'conformance-'));
    try {
      const tested = leg === 'server' ? ['--url', target] : ['--command', target, '--timeout', CLIENT_TIMEOUT_MS];
      const args = [join(this.folder, 'dist/index.js'), leg, ...tested, '--output-dir', results, ...choice];
      const output = await outputOf(this.node, args.map(String));
      if (readdirSync(results).length === 0) throw new Error(`The suite wrote no results:\n${output}`);
      return read(results);
    } finally {
      rmSync(results, { recursive: true });
    }
  }

  /** Reads the scenarios from the requirements of the suite, which list names, and entries with a name and a leg. */
  #scenariosOf(leg, revision) {
    const yaml = readFileSync(join(this.folder, `requirements/${revision}.yaml`), 'utf8');
    const required = new RegExp(`^${leg}:\n((?: {2}- .*\n)+)`, 'm').exec(yaml)[1].match(/[^ \n-].*/g);
    const others = [...yaml.matchAll(new RegExp(`- scenario: (.*)\n {4}leg: ${leg}`, 'g'))].map(([, name]) => name);
    const only = (names) => names.filter((name) => this.only === undefined || name === this.only);
    return { required: only(required), others: only(others) };
  }
}

/**
 * Output of a command on both streams. The exit code is ignored: the suite exits with 1 if a check fails, which its
 * results show.
 */
function outputOf(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

/**
 * A scenario without results did not end, and one without a successful check of its own has tested nothing. A client
 * that failed may have sent too little to be tested.
 */
function readScenario(results, leg, name, isRequired) {
  const begin = `${leg === 'server' ? 'server-' : ''}${name}-`.split('/').join(sep);
  const folder = readdirSync(results, { recursive: true }).find((each) => {
    return each.startsWith(begin) && /^\d{4}-\d\d-\d\dT[^/\\]*$/.test(each.slice(begin.length));
  });
  const read = (file) => {
    const path = folder && join(results, folder, file);
    return path && existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const checks = JSON.parse(read('checks.json') || '[]');
  const failing = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const fail = (errorMessage) => failing.push({ id: name, status: 'FAILURE', errorMessage });
  if (leg === 'client' && read('stdout.txt').trim() !== DONE) fail(`our client failed: ${read('stderr.txt').trim()}`);
  const own = checks.filter(({ id }) => id !== CHECK_OF_ALL);
  const isSkipped = own.length > 0 && own.every(({ status }) => status === 'SKIPPED');
  if (failing.length === 0 && !isSkipped && !own.some(({ status }) => status === 'SUCCESS')) {
    fail('no check succeeded');
  }
  return { name, isRequired, failing };
}
