// No test asserts how long an operation took: it would fail on a slow or busy machine. CONTRIBUTING.md names the
// alternatives.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryFiles, root } from './files.ts';

const rules: Record<string, { pattern: RegExp; why: string; finds: string; passes: string }> = {
  clock: {
    pattern: /performance\.now|Date\.now|\bhrtime\b|cpuUsage|resourceUsage/,
    why: 'A test that reads a clock is about to assert a duration. Measure it in bench/.',
    finds: 'const started = performance.now();',
    passes: 'expect(clock.nowMs()).toBe(500);',
  },
  duration: {
    pattern:
      /expect\([^;]*?(?:[mM]s|[sS]econds|elapsed|took|[rR]atio|p\d\d)\)\s*\.toBe(?:Less|Greater)Than(?:OrEqual)?\((?!0\))[\d_.]+\)/,
    why: 'A duration or a ratio is compared with a number. Measure it in bench/.',
    finds: 'expect(large.ms).toBeLessThan(2_000)',
    passes: 'expect(life.readyAtMs).toBeGreaterThan(life.startedAtMs)',
  },
  memory: {
    pattern: /\brss\b|maxRSS|VmRSS|VmHWM/,
    why: 'What a process has in memory depends on when garbage is collected. Count what is held.',
    finds: 'expect(process.memoryUsage().rss)',
    passes: 'expect(decoder.heldBytes)',
  },
  retry: {
    pattern: /[{,]\s*retry: ?\d|\{\s*repeats: ?\d/,
    why: 'A test that passes the second time has failed.',
    finds: "test('it works', { retry: 2 }, run)",
    passes: "stream('retry: 1')",
  },
  sleep: {
    pattern: /await (?:new Promise\(\(\w+\) => setTimeout\(\w+, [^\n]*\)\)|(?:sleep|wait|delay)\([\d_]+\));\s*expect\(/,
    why: 'A test that sleeps before it looks is too early on a slow machine. Wait for what is to happen.',
    finds: 'await new Promise((resolve) => setTimeout(resolve, 100));\n  expect(done)',
    passes: "await until('it is done', () => done);\n  expect(done)",
  },
};

/** Exempt files, with the reason. */
const exceptions: Record<string, string> = {
  'clock in src/observe/flow/store.test.ts': 'a date lies between two others',
  'clock in src/wire/framing/framing-properties.contract.ts': 'printed after a deep run, not asserted',
  'clock in src/wire/process/files/file-lock.test.ts': 'makes a file look old',
  'clock in test/browser/fleet.full.test.ts': 'the clock of another node is ahead',
  'clock in test/fixtures/fleet/nats-operator.ts': 'credentials contain their time of issue',
  'clock in test/fixtures/gateway/issuer.ts': 'tokens contain their expiry',
  'clock in test/fixtures/server.ts': 'the deadline of what every test waits for',
  'clock in test/fixtures/tasks/jumping-clock.mjs': 'a clock that a test moves',
  'clock in test/fleet/time-to-recover.full.test.ts': 'printed, not asserted',
  'clock in test/oauth/authorizer.test.ts': 'a login says when it ends',
  'clock in test/windows/scenario.mjs': 'limits how long a scenario waits',
  'memory in test/gateway/vanished-clients.full.test.ts': 'printed after a long run, not asserted',
};

const files = repositoryFiles().filter(
  (file) =>
    /^(?:src\/.*\.(?:test|contract)\.tsx?|test\/.*\.[cm]?[jt]s|examples\/.*\.test\.ts)$/.test(file) &&
    !import.meta.url.endsWith(file),
);

test.each(Object.entries(rules))('the rule about %s matches its cases, and nothing else', (_name, rule) => {
  expect(rule.finds).toMatch(rule.pattern);
  expect(rule.passes).not.toMatch(rule.pattern);
});

test('no test asserts a time, and the list of exceptions is not stale', () => {
  const found = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return Object.entries(rules).flatMap(([name, { pattern }]) => (pattern.test(text) ? [`${name} in ${file}`] : []));
  });
  const hints = Object.entries(rules).map(([name, { why }]) => `${name}: ${why}`);
  expect(found.sort(), hints.join('\n')).toEqual(Object.keys(exceptions));
});
