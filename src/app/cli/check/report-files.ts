// Files of `check`: the baseline, and the reports that --junit and --html write.

import { readFile, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toError } from '../../../base/errors.ts';
import { applyBaseline, type Baseline, baselineOf, parseBaseline } from '../../../check/report/baseline.ts';
import type { CheckReport } from '../../../check/report/report.ts';
import { invalidOption } from '../invocation.ts';
import { checkOutput } from '../output/content.ts';

export interface BaselineOptions {
  baseline?: string;
  updateBaseline?: boolean;
}

/** Resolves to undefined if no baseline was given, or if it is written for the first time. */
export async function readBaseline({ baseline: file, updateBaseline }: BaselineOptions): Promise<Baseline | undefined> {
  if (file === undefined) {
    if (!updateBaseline) return undefined;
    throw invalidOption('--update-baseline needs --baseline', '--baseline check-baseline.json --update-baseline');
  }
  if (updateBaseline) await checkOutput(file, '--baseline');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && updateBaseline) return undefined;
    throw invalidOption(
      `Cannot read the baseline "${file}": ${toError(error).message}`,
      isMissing ? `Write it with --baseline ${file} --update-baseline` : 'Name a file that can be read.',
      error,
    );
  }
  return parseBaseline(text, file);
}

/** Marks accepted violations in the report. Writes the file first if `--update-baseline` is given. */
export async function withBaseline(
  report: CheckReport,
  before: Baseline | undefined,
  { baseline: file, updateBaseline }: BaselineOptions,
): Promise<CheckReport> {
  if (file === undefined) return report;
  const { checks } = await import('../../../check/checks.ts');
  const rules = checks[report.role][report.protocol].rules.map(({ id }) => id);
  if (!updateBaseline) return applyBaseline(report, before!, { file, rules });
  const text = baselineOf(report, rules, before);
  await writeFile(file, text).catch((error) => {
    throw invalidOption(`Cannot write "${file}": ${toError(error).message}`, undefined, error);
  });
  return applyBaseline(report, parseBaseline(text, file), { file, rules });
}

export interface ReportFiles {
  junit?: string;
  html?: string;
  strict?: boolean;
}

/** Throws before the check runs if the reports cannot be written. */
export async function checkReportFiles({ junit, html }: ReportFiles): Promise<void> {
  for (const [option, file] of Object.entries({ '--junit': junit, '--html': html })) {
    await checkOutput(file, option);
    if (file !== undefined && (await stat(file).catch(() => undefined))?.isDirectory())
      throw invalidOption(`${option} cannot be "${file}": it is a folder`, 'Name a file in it.');
  }
  if (junit !== undefined && html !== undefined && resolve(junit) === resolve(html))
    throw invalidOption('--junit and --html cannot be the same file', 'Name two files.');
}

export async function saveReports(
  report: CheckReport,
  { junit, html, strict = false }: ReportFiles,
): Promise<string[]> {
  return saveFiles([
    [junit, async () => (await import('../../../check/report/junit.ts')).junitOf(report, { strict })],
    [html, async () => (await import('../../../check/report/html.ts')).htmlOf(report, { strict })],
  ]);
}

/** Writes the reports whose file is given. Resolves with their files. */
export async function saveFiles(
  reports: readonly [file: string | undefined, text: () => Promise<string>][],
): Promise<string[]> {
  const saved: string[] = [];
  for (const [file, text] of reports) {
    if (file === undefined) continue;
    await writeFile(file, await text()).catch((error) => {
      throw invalidOption(`Cannot write "${file}": ${toError(error).message}`, undefined, error);
    });
    saved.push(file);
  }
  return saved;
}
