// The report as text and as JUnit XML, from data.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { painter } from '../../src/base/terminal/colours.ts';
import { textWidth } from '../../src/base/terminal/text-width.ts';
import { visible } from '../../src/base/terminal/visible.ts';
import { junitOf } from '../../src/check/report/junit.ts';
import { textOf } from '../../src/check/report/text.ts';
import { dangerous } from '../cli/run-cli.ts';
import { hasPython } from '../fixtures/python.ts';
import { HOSTILE, madeReport } from './made-report.ts';

test('the text lists the problems with frames and fix, and untested rules; all rules only if verbose', () => {
  const text = textOf(madeReport);
  expect(text).toMatch(/^✗ wire\/only-messages .* \(MUST, in 2026-07-28\)\n {2}The server wrote/m);
  expect(text.indexOf('✗ wire/only-messages')).toBeLessThan(text.indexOf('! jsonrpc/unknown-method'));
  expect(text).toMatch(/^ {2}rule: A server .*\n {2}https:\/\/modelcontextprotocol\.io\/.*stdio$/m);
  expect(text).toMatch(
    /^ {4}→ \{"jsonrpc".*\n {4}← <\/script>.*漢字 עברית 👩‍👩‍👧 grüße\n {4}stderr …x+\n {11}second line \(1612 bytes\)\n {2}fix: Log with/m,
  );
  expect(text).toContain('Not tested: 1 rule, because no long call is known: name one with --long-call');
  expect(text).toMatch(/^ {2}--skip wire\/only-messages$/m);
  expect(textOf(madeReport, { strict: true })).toMatch(/^ {2}--skip wire\/only-messages,jsonrpc\/unknown-method$/m);
  expect(text).toMatch(/^6 rules: 1 passed, 1 failed, 1 warning, 1 advice, 2 not applicable \(1\.2 s\)$/m);
  expect(text).toContain('--verbose lists all rules');
  expect(text).not.toMatch(/lifecycle\/opens|the server has no tools|started: /);
  const verbose = textOf(madeReport, { verbose: true });
  expect(verbose).toMatch(/^ {2}✓ lifecycle\/opens {2}the server answers its first request$/m);
  expect(verbose).toMatch(/^ {2}✗ wire\/only-messages {2}stdout .* \(failed in 2026-07-28; passed in 2025-11-25\)$/m);
  expect(verbose).toMatch(/^ {2}! jsonrpc\/unknown-method {2}an unknown method is an error$/m);
  expect(verbose).toContain('– modern/meta  what is right is done (the server has no tools)');
});

test('the report does not suggest skipping the rule that all others depend on', () => {
  const outcomes = madeReport.outcomes.map((outcome) => {
    return outcome.rule === 'wire/only-messages' ? outcome : { ...outcome, status: 'not applicable' as const };
  });
  const text = textOf({ ...madeReport, outcomes: outcomes.filter(({ status }) => status !== 'passed') });
  expect(text).toContain('✗ wire/only-messages');
  expect(text).not.toMatch(/--skip|--baseline/);
});

test('output of a server is escaped for the terminal, and colours do not change the text', () => {
  const text = textOf(madeReport, { verbose: true });
  expect(dangerous(text)).toEqual([]);
  const painted = textOf(madeReport, { verbose: true, paint: painter(true) });
  expect(painted).toContain('\x1b[31m✗\x1b[39m');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences of colours
  expect(painted.replace(/\x1b\[\d+m/g, '')).toBe(text);
});

test.each([20, 40, 80])('no line is wider than %i columns, except for links and lines to copy', (width) => {
  const lines = textOf(madeReport, { verbose: true, width }).split('\n');
  const mayBeWider = /^ {2}--(?:skip|baseline)|^\s*(?:https:\/\/|docs\/)\S+$/;
  expect(lines.filter((line) => textWidth(line) > width && !mayBeWider.test(line))).toEqual([]);
});

/** Parses XML with the parser of Python, as CI systems do. */
function parsed(xml: string) {
  const script = `
import json, sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
def described(case):
    return {**case.attrib, 'inside': [[each.tag, each.attrib.get('message'), each.text] for each in case]}
suites = [{**suite.attrib, 'properties': {each.get('name'): each.get('value') for each in suite.iter('property')},
  'cases': [described(case) for case in suite.iter('testcase')]} for suite in root]
print(json.dumps({**root.attrib, 'suites': suites}))`;
  return JSON.parse(execFileSync('python3', ['-c', script], { input: xml, encoding: 'utf8' }));
}

test.skipIf(!hasPython)('JUnit has a suite for each family and a case for each rule and revision', () => {
  const { suites, ...totals } = parsed(junitOf(madeReport));
  expect(totals).toMatchObject({ tests: '8', failures: '1', skipped: '2', errors: '0' });
  expect(suites.map(({ name, tests }: { name: string; tests: string }) => [name, tests])).toEqual([
    ['lifecycle', '3'],
    ['wire', '2'],
    ['jsonrpc', '1'],
    ['robustness', '1'],
    ['modern', '1'],
  ]);
  const [lifecycle, wire, jsonrpc, robustness] = suites;
  expect(lifecycle.cases[0]).toMatchObject({
    classname: 'standpipe.check.lifecycle',
    name: 'lifecycle/opens (2026-07-28)',
    inside: [],
  });
  expect(lifecycle.cases[2].inside).toEqual([['skipped', expect.stringContaining('--long-call'), null]]);
  const escaped = visible(HOSTILE).replace('\ud800', '\\ud800');
  expect(wire.properties).toMatchObject({ name: `weather ${escaped}`, revisions: '2026-07-28 2025-11-25' });
  const [[tag, message, details]] = wire.cases[0].inside;
  expect([tag, message]).toEqual(['failure', `The server wrote "${escaped}" to stdout.`]);
  expect(details).toContain('Fix: Log with console.error.');
  expect(details).toContain(`received: ${escaped}`);
  expect(jsonrpc.cases[0].inside).toEqual([['system-out', null, expect.stringContaining('The server did not answer')]]);
  expect(robustness.cases[0].inside).toEqual([['system-out', null, expect.stringMatching(/^advice: .*exited/)]]);
});

test.skipIf(!hasPython)('with strict, warnings are failures and advice is not', () => {
  const { suites, failures } = parsed(junitOf(madeReport, { strict: true }));
  expect(failures).toBe('2');
  expect(suites[2].cases[0].inside[0][0]).toBe('failure');
  expect(suites[3].cases[0].inside[0][0]).toBe('system-out');
});
