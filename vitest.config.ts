import { defineConfig } from 'vitest/config';
import { isWindows, isWine } from './test/fixtures/windows.ts';
import { LongestFirst } from './test/longest-first.ts';

/** About signals, process groups, file modes, `sh` or a pseudo-terminal, none of which Windows has. */
const notOnWindows = [
  'test/process/stopping.test.ts',
  'test/tap/{signals,transparent}.test.ts',
  'test/host/ending.test.ts',
  'test/cli/{ending,connect,lost-output,share}.test.ts',
  'test/examples/{quickstart,readme-as-printed}.full.test.ts',
];
/** Start nats-server or Chromium, which the Wine root does not have, or hundreds of processes, which takes long in Wine. */
const notInWine = [
  'test/check/**',
  'test/{browser,fleet}/**',
  'test/contract/{fabric,fleet-service,node-door}.test.ts',
  'test/cli/{fleet,join}.full.test.ts',
];
const leftOut = [...(isWindows ? notOnWindows : []), ...(isWine ? notInWine : [])];
if (leftOut.length > 0) console.error(`Not run here, see vitest.config.ts: ${leftOut.join(', ')}`);

// The path of a socket has at most 103 bytes on macOS, and the folder of the user for temporary files takes 49 of them. It also lies
// behind a link, so that a program names its working folder differently.
if (process.platform === 'darwin') process.env.TMPDIR = '/private/tmp';

/** As in the full run (scripts/test-in-copy.mjs): a sequencer of ours would take precedence. */
const isShuffled = process.argv.includes('--sequence.shuffle.files');

/** Of `npm test` without arguments. */
const slow = process.env.STANDPIPE_QUICK_TESTS ? ['**/*.full.test.ts'] : [];

export default defineConfig({
  test: {
    // Nothing takes a twentieth of this on a quiet machine: the limits are for what never ends. Hooks install packages.
    testTimeout: 240_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    exclude: ['**/node_modules/**', ...slow, ...leftOut],
    pool: 'forks',
    // Messages name commands as they are typed, which depends on how the tests were started.
    env: { npm_command: '' },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    // Tests with real processes wait for more than half of their time: six workers keep two cores busy.
    maxWorkers: 6,
    sequence: isShuffled ? {} : { sequencer: LongestFirst },
    // Names of failing tests with what they printed, and a summary.
    reporters: ['minimal'],
    silent: 'passed-only',
    // A worker runs many files: starting one, and loading packages, takes a fifth of a second.
    isolate: false,
    projects: [
      // What needs no process of its own loads every module once.
      { extends: true, test: { name: 'units', include: ['src/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          // Modules of the repository are loaded anew for each file, with the hooks, folders and servers of fixtures.
          setupFiles: ['test/fixtures/fresh-modules.ts'],
          globalSetup: ['test/browser/start-chromium.ts'],
        },
      },
    ],
  },
});
