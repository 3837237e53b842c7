import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { VerifyReport } from '../../src/entry/recording.ts';
import { runCli } from '../cli/run-cli.ts';
import { recordedVolatile, volatile } from './volatile.ts';

// A busy machine may take any time for an answer.
const allowed = ['--allow-calls', 'create', '--slower-factor', '1000000'];

async function verified(file: string, ...options: string[]): Promise<{ code: number | null; report: VerifyReport }> {
  const { code, stdout } = await runCli(['verify', file, '--json', ...allowed, ...options, '--', ...volatile()]);
  return { code, report: JSON.parse(stdout) };
}

test.each(['2025-06-18', '2026-07-28'] as const)(
  'a server whose answers vary is the same after learning, in %s',
  async (revision) => {
    const file = await recordedVolatile(revision);
    const before = await verified(file);
    expect(before.code).toBe(1);
    expect(before.report.revision).toBe(revision);
    const different = before.report.results.filter(({ status }) => status !== 'same').map(({ target }) => target);
    expect(different).toEqual(['now', 'tags', 'create']); // `note` gets the new id, and its answer has it
    const { code, report } = await verified(file, '--learn');
    expect(report.results.filter(({ status }) => status !== 'same')).toEqual([]);
    expect(report.counts).toEqual({ same: 15, different: 0, failing: 0, fixed: 0, skipped: 0, slower: 0 });
    expect(code).toBe(0);
    const of = (name: string) =>
      report.learned.filter(({ target }) => target === name).map(({ path, accept }) => `${accept} ${path}`);
    expect(of('now').sort()).toEqual([
      'duration result.content.*.text.json().took',
      'duration result.structuredContent.took',
      'number result.content.*.text.json().pid',
      'number result.structuredContent.pid',
      'timestamp result.content.*.text.json().at',
      'timestamp result.content.*.text.json().epochMs',
      'timestamp result.structuredContent.at',
      'timestamp result.structuredContent.epochMs',
      'uuid result.content.*.text.json().run',
      'uuid result.structuredContent.run',
    ]);
    expect(of('tags').sort()).toEqual([
      'order result.content.*.text.json().tags',
      'order result.structuredContent.tags',
      'timestamp result.content.*.text.json().tags.*.seen',
      'timestamp result.structuredContent.tags.*.seen',
    ]);
    expect(of('create')).toEqual(['timestamp result.content.*.text', 'id result.content.*.text']);
    expect(JSON.parse(readFileSync(`${file}.rules.json`, 'utf8'))).toEqual({
      standpipe: 'verify-rules',
      version: 1,
      rules: report.learned,
    });
    const again = await verified(file);
    expect(again.report).toMatchObject({ counts: { same: 15, different: 0 }, learned: [] });
    expect(again.code).toBe(0);
  },
);

test('tools that are not read-only are called only with --allow-calls', async () => {
  const file = await recordedVolatile();
  const { stdout } = await runCli(['verify', file, '--json', '--', ...volatile()]);
  const report = JSON.parse(stdout) as VerifyReport;
  expect(report.results.find(({ target }) => target === 'create')).toMatchObject({
    status: 'skipped',
    cause: 'permission',
    reason: 'The tool is not marked as read-only: allow the call with --allow-calls',
  });
  const only = await runCli(['verify', file, '--json', '--allow-calls', 'create={"title":"x"}', '--', ...volatile()]);
  expect(JSON.parse(only.stdout).counts.skipped).toBe(1);
  const same = await runCli([
    'verify',
    file,
    '--json',
    '--allow-calls',
    'cre*={"title":"Shopping"}',
    '--',
    ...volatile(),
  ]);
  expect(JSON.parse(same.stdout).counts.skipped).toBe(0);
});

test('a rule by hand accepts a value, and --strict fails on skipped requests', async () => {
  const file = await recordedVolatile();
  const rules = ['tools/call now: ignore result', 'tools/call tags: ignore **'].flatMap((rule) => ['--rule', rule]);
  const { code, stdout } = await runCli(['verify', file, ...rules, '--', ...volatile()]);
  expect(stdout).toContain('– 1 request not run: The tool is not marked as read-only');
  expect(stdout).toContain('tools/call note');
  expect(code).toBe(1); // the note of the call that was not run does not exist
  const lax = ['--rule', 'tools/call note: ignore **'];
  const passing = await runCli(['verify', file, ...rules, ...lax, '--', ...volatile()]);
  expect(passing.code).toBe(1);
});
