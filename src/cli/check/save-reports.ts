// Writes the reports of `check` that go to files.

import { writeFile } from 'node:fs/promises';
import { toError, UsageError } from '../../base/errors.ts';
import type { CheckReport } from '../../check/report/report.ts';

export interface ReportFiles {
  junit?: string;
  html?: string;
  strict?: boolean;
}

/** Resolves to the files that were written. */
export async function saveReports(
  report: CheckReport,
  { junit, html, strict = false }: ReportFiles,
): Promise<string[]> {
  const files: [file: string, text: string][] = [];
  if (junit !== undefined)
    files.push([junit, (await import('../../check/report/junit.ts')).junitOf(report, { strict })]);
  if (html !== undefined) files.push([html, (await import('../../check/report/html.ts')).htmlOf(report)]);
  for (const [file, text] of files) {
    await writeFile(file, text).catch((error) => {
      throw new UsageError('INVALID_OPTION', `Cannot write "${file}": ${toError(error).message}`, { cause: error });
    });
  }
  return files.map(([file]) => file);
}
