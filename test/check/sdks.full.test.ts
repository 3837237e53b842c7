// Plain servers on official SDKs pass the check by default, and the report attributes violations of the SDK to it.

import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CheckReport, isFailure } from '../../src/check/report/report.ts';
import { textOf } from '../../src/check/report/text.ts';
import { checkServer } from '../../src/check/server/check-server.ts';
import type { Sdk } from '../../src/check/server/sdk/recognise-sdk.ts';
import { rulesOfSdks } from '../../src/check/server/sdk/sdk-findings.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/check/${name}`, import.meta.url));
const typescript: Sdk = { name: 'TypeScript SDK' };

describe('a server on the official TypeScript SDK', () => {
  const low = 'sdk-2-server.mjs';
  const names = ['sdk-1.mjs', 'sdk-1-tasks.mjs', 'sdk-prompts.mjs', 'sdk-2.mjs', low];
  const reports = new Map<string, CheckReport>();
  const causedBy = (name: string) => new Set(reports.get(name)!.outcomes.flatMap(({ rule, sdk }) => (sdk ? rule : [])));

  beforeAll(async () => {
    for (const name of names) {
      const args = [fixture(name)];
      reports.set(name, await checkServer({ command: process.execPath, args, timeoutMs: 60_000 }));
    }
  }, 240_000);

  test.each(names)('passes by default: %s', (name) => {
    const { outcomes, sdk } = reports.get(name)!;
    expect(outcomes.filter((outcome) => isFailure(outcome, false))).toEqual([]);
    expect(sdk).toMatchObject(typescript);
  });

  test.each(names.filter((name) => name !== low))('has no warnings about code of its author: %s', (name) => {
    const { outcomes } = reports.get(name)!;
    expect(outcomes.filter(({ status, sdk }) => status === 'warning' && !sdk)).toEqual([]);
  });

  test('handlers of its author ignore cursors, and the SDK replaces their error codes', () => {
    const warned = reports.get(low)!.outcomes.filter(({ status }) => status === 'warning');
    const rules = (of: typeof warned) => [...new Set(of.map(({ rule }) => rule))];
    expect(rules(warned.filter(({ sdk }) => !sdk))).toEqual(['methods/invalid-cursors-are-refused']);
    expect(rules(warned.filter(({ sdk }) => sdk))).toContain('methods/unknown-resources-are-not-found');
  });

  test('no statement about the SDK is about another major version', () => {
    for (const [name, { sdk: made, outcomes }] of reports) {
      const major = /^\d/.exec(made!.version!)![0];
      const notes = new Set(outcomes.flatMap(({ sdk }) => sdk?.note ?? []));
      const others = [...notes].filter((note) => /\d\.x/.test(note) && !note.includes(`${major}.x`));
      expect(others, name).toEqual([]);
    }
  });

  test('every row of the table for this SDK is reproduced by one of them', () => {
    const reproduced = new Set(names.flatMap((name) => [...causedBy(name)]));
    const ofFastMcp = ['methods/unknown-completions-are-refused'];
    const ofGo = ['wire/json-in-any-form', 'modern/unsupported-version', 'modern/cancelled-subscription-is-silent'];
    const ofPython = ['methods/unknown-prompts-are-refused', 'methods/missing-prompt-arguments-are-refused'];
    const ofOthers = [...ofFastMcp, ...ofGo, ...ofPython];
    expect(rulesOfSdks.filter((id) => !reproduced.has(id) && !ofOthers.includes(id))).toEqual([]);
  });

  test('the report names the SDK, its issue and the rules', () => {
    expect(textOf(reports.get('sdk-1.mjs')!)).toMatch(
      /^From the SDK, not from your code: TypeScript SDK 1\.[\d.]+\n.* drops lines .*typescript-sdk\/issues\/2247\n(?: {2}[!i] .*\n)*? {2}i jsonrpc\/parse-error {2}A line/m,
    );
  });

  test('the version is that of the package that the script imports', () => {
    expect(reports.get('sdk-1.mjs')!.sdk).toMatchObject({ ...typescript, version: expect.stringMatching(/^1\./) });
    expect(reports.get('sdk-2.mjs')!.sdk).toMatchObject({ ...typescript, version: expect.stringMatching(/^2\./) });
  });
});
