// The file of `--baseline`: read before the check runs, and written by `--update-baseline`.

import { readFile, writeFile } from 'node:fs/promises';
import { toError, UsageError } from '../../../base/errors.ts';
import { applyBaseline, type Baseline, baselineOf, parseBaseline } from '../../../check/report/baseline.ts';
import type { CheckReport } from '../../../check/report/report.ts';
import { checkOutput } from '../result/save-content.ts';

export interface BaselineOptions {
  baseline?: string;
  updateBaseline?: boolean;
}

/** Undefined if no baseline was given, or if it is written for the first time. */
export async function readBaseline({ baseline: file, updateBaseline }: BaselineOptions): Promise<Baseline | undefined> {
  if (file === undefined) {
    if (!updateBaseline) return undefined;
    throw new UsageError('INVALID_OPTION', '--update-baseline needs --baseline', {
      hint: '--baseline check-baseline.json --update-baseline',
    });
  }
  if (updateBaseline) await checkOutput(file, '--baseline');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing && updateBaseline) return undefined;
    throw new UsageError('INVALID_OPTION', `Cannot read the baseline "${file}": ${toError(error).message}`, {
      hint: isMissing ? `Write it with --baseline ${file} --update-baseline` : 'Name a file that can be read.',
      cause: error,
    });
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
    throw new UsageError('INVALID_OPTION', `Cannot write "${file}": ${toError(error).message}`, { cause: error });
  });
  return applyBaseline(report, parseBaseline(text, file), { file, rules });
}
