// Writes the report files of `check`.

import { stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toError, UsageError } from '../../../base/errors.ts';
import type { CheckReport } from '../../../check/report/report.ts';
import { checkOutput } from '../result/save-content.ts';

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
      throw new UsageError('INVALID_OPTION', `${option} cannot be "${file}": it is a folder`, {
        hint: 'Name a file in it.',
      });
  }
  if (junit !== undefined && html !== undefined && resolve(junit) === resolve(html))
    throw new UsageError('INVALID_OPTION', '--junit and --html cannot be the same file', { hint: 'Name two files.' });
}

/** Resolves to the files that were written. */
export async function saveReports(
  report: CheckReport,
  { junit, html, strict = false }: ReportFiles,
): Promise<string[]> {
  const files: [file: string, text: string][] = [];
  if (junit !== undefined)
    files.push([junit, (await import('../../../check/report/junit.ts')).junitOf(report, { strict })]);
  if (html !== undefined)
    files.push([html, (await import('../../../check/report/html.ts')).htmlOf(report, { strict })]);
  for (const [file, text] of files) {
    await writeFile(file, text).catch((error) => {
      throw new UsageError('INVALID_OPTION', `Cannot write "${file}": ${toError(error).message}`, { cause: error });
    });
  }
  return files.map(([file]) => file);
}
