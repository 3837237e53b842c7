import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/fixtures/temporary-folder.ts';
import { ManualClock } from '../../base/clock.ts';
import type { AuditLine } from './audit-line.ts';
import { AuditLog, type AuditOptions } from './audit-log.ts';
import { readAudit } from './read-audit.ts';

const folder = temporaryFolder('audit');
let files = 0;
const newFile = () => join(folder, `${++files}`, 'audit.jsonl');

const call = (target: string) => ({ kind: 'call', server: 'files', method: 'tools/call', target }) as const;

/** Writes a run with these calls, each with its end. */
async function write(file: string, targets: readonly string[], options: Partial<AuditOptions> = {}): Promise<void> {
  const log = new AuditLog({ file, ...options });
  await log.open();
  for (const target of targets) {
    const seq = (await log.begin(call(target)))!;
    log.note({ kind: 'end', call: seq, outcome: 'ok', ms: 1 });
  }
  await log.close();
}

async function problemsOf(file: string): Promise<string[]> {
  return (await readAudit(file)).problems.map(({ line, problem }) => `${line}: ${problem}`);
}

const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n');
const runOf = (file: string) => (JSON.parse(linesOf(file)[0]!) as { run: string }).run;

test('a trail of several runs is one chain', async () => {
  const file = newFile();
  await write(file, ['a', 'b']);
  await write(file, ['c'], { node: 'one' });
  const seen: AuditLine[] = [];
  const verdict = await readAudit(file, (line) => seen.push(line));
  expect(verdict).toMatchObject({ lines: 8, runs: 2, openRuns: 0, missing: 0, isCut: false, problems: [] });
  expect(seen.map(({ kind }) => kind)).toEqual(['call', 'end', 'call', 'end', 'stop', 'call', 'end', 'stop']);
  const last = JSON.parse(linesOf(file).at(-2)!) as { hash: string };
  expect(verdict.last).toBe(last.hash);
  expect((await readAudit(file, undefined, last.hash)).hasExpected).toBe(true);
  expect((await readAudit(file, undefined, 'x'.repeat(43))).hasExpected).toBe(false);
});

test('finds each kind of change', async () => {
  const file = newFile();
  await write(file, ['a', 'b']);
  await write(file, ['c']);
  await write(file, ['d']);
  const whole = linesOf(file);
  const [first, second] = [runOf(file), (JSON.parse(whole[6]!) as { run: string }).run];
  const changed = async (change: (lines: string[]) => void) => {
    const lines = [...whole];
    change(lines);
    writeFileSync(file, lines.join('\n'));
    return problemsOf(file);
  };
  expect(await changed(() => undefined)).toEqual([]);
  expect(await changed((lines) => lines.splice(1, 1, lines[1]!.replace('"a"', '"b"')))).toEqual([
    `2: Line 1 of run ${first}, or the one before it, was changed`,
  ]);
  expect(await changed((lines) => lines.splice(2, 1))).toEqual([
    `3: Before this line, lines 2 to 2 of run ${first} are missing`,
  ]);
  expect(await changed((lines) => lines.splice(2, 2, lines[3]!, lines[2]!))).toEqual([
    `3: Before this line, lines 2 to 2 of run ${first} are missing`,
  ]);
  expect(await changed((lines) => lines.splice(4, 2))).toEqual([`5: Before run ${second}, lines 4 to 5 are missing`]);
  expect((await changed((lines) => lines.splice(6, 4))).join()).toMatch(/all lines of run \w+ are missing/);
  expect((await changed((lines) => lines.splice(0, 1)))[0]).toBe(`1: The header of run ${first} is missing`);
  expect((await changed((lines) => lines.splice(6, 1, lines[6]!.replace('"pid":', '"pid":1'))))[0]).toContain(
    'changed',
  );
  expect(await changed((lines) => lines.splice(3, 0, 'x'))).toEqual(['4: This is not a line of an audit trail']);
  expect(await changed((lines) => lines.splice(3, 0, lines[2]!))).toEqual([]); // a killed process may leave a line twice
  expect(await changed((lines) => lines.splice(3, 0, lines[2]!.replace(/"hash":"../, '"hash":"xx')))).toHaveLength(1);
});

test('a line that a killed host wrote in part is no change', async () => {
  const file = newFile();
  await write(file, ['a']);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, `${text}{"run":"cu`);
  expect(await problemsOf(file)).toEqual([]);
  await write(file, ['b']);
  expect(await problemsOf(file)).toEqual([]);
});

test('a run without a last line is counted as open', async () => {
  const file = newFile();
  const log = new AuditLog({ file });
  await log.open();
  log.begin(call('a'));
  process.emit('exit', 0); // pending lines are written when the process exits
  expect(await readAudit(file)).toMatchObject({ lines: 1, openRuns: 1, problems: [] });
  await log.close();
  expect(await readAudit(file)).toMatchObject({ lines: 2, openRuns: 0, problems: [] });
});

test('rotation keeps the chain, and says that older files were deleted', async () => {
  const file = newFile();
  const log = new AuditLog({ file, maxFileBytes: 2000, maxFiles: 3, isRequired: true });
  for (let n = 0; n < 100; n++) await log.begin(call(`tool ${n}`));
  expect(await readAudit(file)).toMatchObject({ isCut: true, problems: [] });
  await log.close();
  expect(readdirSync(join(file, '..')).sort()).toEqual(['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2']);
  await write(file, ['later']);
  expect(await problemsOf(file)).toEqual([]);
  rmSync(`${file}.1`);
  expect((await problemsOf(file)).join()).toMatch(/lines \d+ to \d+ (of run \w+ )?are missing/);
});

test('says when it cannot write, and writes every line once it can', async () => {
  const file = newFile();
  mkdirSync(file, { recursive: true }); // a folder in the place of the file
  const clock = new ManualClock();
  const failures: string[] = [];
  const log = new AuditLog({ file, clock, onFailure: ({ message }) => failures.push(message) });
  log.begin(call('a'));
  clock.advance(50);
  await expect.poll(() => failures).toHaveLength(1);
  log.begin(call('b'));
  rmdirSync(file);
  await log.close();
  expect(await readAudit(file)).toMatchObject({ lines: 3, problems: [] });
});

test('a required trail refuses calls that cannot be recorded before they run', async () => {
  const file = newFile();
  mkdirSync(file, { recursive: true });
  const clock = new ManualClock();
  const log = new AuditLog({ file, clock, isRequired: true });
  await expect(log.begin(call('a'))).rejects.toMatchObject({ code: 'SERVER_BUSY' });
  await expect(log.begin(call('b'))).rejects.toThrow(/The audit trail cannot be written: .*The request did not run/s);
  rmdirSync(file);
  clock.advance(5000);
  await expect.poll(async () => Promise.resolve(log.begin(call('c'))).catch(() => undefined)).toBeGreaterThan(0);
  await log.close();
  const outcomes: string[] = [];
  await readAudit(file, (line) => line.kind === 'end' && outcomes.push(`${line.call} ${line.outcome}`));
  expect(outcomes).toContain('1 refused');
  expect(await problemsOf(file)).toEqual([]);
});

test('memory is bounded: calls that do not fit are counted', async () => {
  const file = newFile();
  mkdirSync(file, { recursive: true });
  const log = new AuditLog({ file, clock: new ManualClock(), maxPendingBytes: 1000 });
  const numbers = Array.from({ length: 50 }, (_, n) => log.begin(call(`tool ${n}`)));
  const kept = numbers.filter((number) => number !== undefined).length;
  expect(kept).toBeLessThan(10);
  rmdirSync(file);
  await log.close();
  expect(await readAudit(file)).toMatchObject({ missing: 50 - kept, problems: [] });
});

test.each([
  '{"standpipe":"audit"}',
  'null',
  '{"standpipe":"audit","version":9,"run":"a"}',
  '[]',
  'x'.repeat(2_000_000),
])('reads a hostile trail without failing (%#)', async (text) => {
  const file = newFile();
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `${text}\n${text}\n`);
  expect((await readAudit(file)).problems.length).toBeGreaterThan(0);
});

test('a missing trail is an error with the fix in it', async () => {
  await expect(readAudit(newFile())).rejects.toMatchObject({ hint: 'Name the file that was given to `up --audit`.' });
});
