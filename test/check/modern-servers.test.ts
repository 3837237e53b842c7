// Servers of 2026-07-28 that differ from the correct one in one point, against all rules of the family.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { checkServer } from '../../src/check/server/check-server.ts';

const fixtures = join(import.meta.dirname, '../fixtures/check');

async function checkFamily(...args: string[]) {
  const { outcomes } = await checkServer({
    command: process.execPath,
    args: args.map((arg, at) => (at === 0 ? join(fixtures, arg) : arg)),
    revisions: ['2026-07-28'],
    only: ['modern'],
    allowCalls: [{ name: 'change' }],
    timeoutMs: 20_000,
  });
  return {
    violated: outcomes.filter(isViolated).map(({ rule, status }) => `${rule} ${status}`),
    reasonOf: (id: string) => outcomes.find(({ rule }) => rule === id)?.reason,
    evidenceOf: (id: string) =>
      outcomes
        .find(({ rule }) => rule === id)
        ?.evidence?.map(({ text }) => text.trim())
        .join('\n'),
  };
}

const aboutListening = [
  'modern/acknowledged-filter',
  'modern/unsupported-changes',
  'modern/declared-changes-are-honoured',
  'modern/listen-without-a-filter',
  'modern/cancelled-subscription-is-silent',
  'modern/ended-subscription',
];

test.concurrent('a server that declares no changes may refuse to listen, and every other request of a rule is complete', async () => {
  const { violated, reasonOf } = await checkFamily('without-changes.mjs');
  expect(violated).toEqual(['modern/client-info-is-optional warning']);
  for (const rule of ['modern/listen-is-acknowledged', ...aboutListening]) {
    expect(reasonOf(rule)).toBe('the server declares no changes');
  }
});

test.concurrent('a server that declares changes and refuses to listen violates one rule, which the others name', async () => {
  const { violated, reasonOf } = await checkFamily('server.mjs', 'refuses-to-listen', 'modern-subscriptions');
  expect(violated).toEqual(['modern/listen-is-acknowledged failed']);
  for (const rule of aboutListening) expect(reasonOf(rule)).toContain('(modern/listen-is-acknowledged)');
});

test.concurrent('a server without `resultType` violates the rule about it, and is not taken for one of an earlier revision', async () => {
  const { violated, reasonOf } = await checkFamily('server.mjs', 'leaves-out-all-result-types', 'modern');
  expect(violated).toEqual(['modern/result-type failed']);
  expect(reasonOf('modern/era-of-each-request')).toContain('(modern/result-type)');
});

test.concurrent('the frames of a notification that chose the era have the notification', async () => {
  const { evidenceOf } = await checkFamily('server.mjs', 'chooses-the-era-by-a-notification', 'modern');
  expect(evidenceOf('modern/era-of-each-request')).toMatch(/notifications\/cancelled.*\n.*tools\/list/);
});
