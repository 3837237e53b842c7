import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Real processes share two cores: more workers than cores only makes them wait for each other.
    maxWorkers: 2,
    pool: 'forks',
  },
});
