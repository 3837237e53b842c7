import { defineConfig } from 'vitest/config';

/** What looks at times closely runs when the rest is done, one file at a time. */
const alone = ['test/host/isolation.test.ts', 'test/cli/start-up.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Names of failing tests with what they printed, and a summary.
    reporters: ['minimal'],
    silent: 'passed-only',
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...alone],
          // Real processes share two cores: more workers than cores only makes them wait for each other.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
