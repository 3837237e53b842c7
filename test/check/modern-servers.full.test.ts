// Servers of 2026-07-28 that differ from the correct one in one detail, checked with all rules of the family.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { checkServer } from '../../src/check/server/check-server.ts';
import { serverRules } from '../../src/check/server/rules/index.ts';

const fixtures = join(import.meta.dirname, '../fixtures/check');

async function checkFamily(...args: string[]) {
  const { outcomes } = await checkServer({
    command: process.execPath,
    args: args.map((arg, at) => (at === 0 ? join(fixtures, arg) : arg)),
    revisions: ['2026-07-28'],
    only: ['modern'],
    allowCalls: [{ name: 'change*' }], // a pattern, because not every server has the tool
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

test.concurrent('a server without changes may refuse `subscriptions/listen`, and requests of rules are complete', async () => {
  const { violated, reasonOf } = await checkFamily('without-changes.mjs');
  expect(violated).toEqual(['modern/client-info-is-optional warning']);
  for (const rule of ['modern/listen-is-acknowledged', ...aboutListening]) {
    expect(reasonOf(rule)).toBe('the server does not declare change notifications');
  }
});

test.concurrent('a server that declares changes and refuses `subscriptions/listen` violates one rule, which others name', async () => {
  const { violated, reasonOf } = await checkFamily('server.mjs', 'refuses-to-listen', 'modern-subscriptions');
  expect(violated).toEqual(['modern/listen-is-acknowledged failed']);
  for (const rule of aboutListening) expect(reasonOf(rule)).toContain('(modern/listen-is-acknowledged)');
});

test.concurrent('a server without `resultType` violates the rule about it, and is not treated as one of an earlier revision', async () => {
  const { violated, reasonOf } = await checkFamily('server.mjs', 'leaves-out-all-result-types', 'modern');
  expect(violated).toEqual(['modern/result-type failed']);
  expect(reasonOf('modern/era-of-each-request')).toContain('(modern/result-type)');
});

test.concurrent('the frames of a notification that chose the era have the notification', async () => {
  const { evidenceOf } = await checkFamily('server.mjs', 'chooses-the-era-by-a-notification', 'modern');
  expect(evidenceOf('modern/era-of-each-request')).toMatch(/notifications\/cancelled.*\n.*tools\/list/);
});

test.concurrent.each([
  ['supported_versions: V, resultType: "complete"', 'has no supportedVersions, but `supported_versions`'],
  ['supportedVersions: V[0]', 'has supportedVersions that are a string'],
  ['status: "unknown method"', undefined],
])(
  'checks the answer { %s } to `server/discover` of a server that opens in an earlier revision',
  async (members, problem) => {
    const code = `
    const V = ['2026-07-28'];
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const serverInfo = { name: 'both', version: '1' };
      const results = {
        initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo },
        ping: {},
        'server/discover': { ${members} },
      };
      const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'Method not found' } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });`;
    const rule = 'modern/discover-versions';
    const target = { command: process.execPath, args: ['-e', code], timeoutMs: 20_000 };
    const { outcomes, revisions } = await checkServer({ ...target, only: [rule] });
    expect(revisions).toEqual(['2025-11-25']);
    expect(outcomes).toMatchObject([
      problem === undefined
        ? { rule, status: 'not applicable' }
        : { rule, status: 'failed', revision: '2026-07-28', reason: `The answer to \`server/discover\` ${problem}.` },
    ]);
  },
);

test('the fixes of the rules about log levels name the levels', () => {
  const fixes = serverRules.filter(({ id }) => /log-levels|log-messages/.test(id)).map(({ fix }) => fix.any);
  expect(fixes).toHaveLength(3);
  for (const fix of fixes) expect(fix).toContain('debug, info, notice, warning, error, critical, alert and emergency');
});

test('a subscription id as text is the only problem, and is not reported as unacknowledged', async () => {
  const { violated, reasonOf } = await checkFamily('server.mjs', 'names-subscriptions-as-text', 'modern-subscriptions');
  expect(violated).toEqual(['modern/changes-name-their-subscription failed']);
  expect(reasonOf('modern/changes-name-their-subscription')).toMatch(
    /names the subscription "(\d+)", a string: the id of the request is the number \1\.$/,
  );
  expect(reasonOf('modern/listen-is-acknowledged')).toMatch(/\(modern\/changes-name-their-subscription\)$/);
});
