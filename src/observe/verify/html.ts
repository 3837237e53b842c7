// The report as one HTML file: failures first, requests with the same answer collapsed.

import { htmlText } from '../../base/markup.ts';
import { detailsOf } from './junit.ts';
import { isVerifyFailure, type VerifyReport, type VerifyResult, type VerifyStatus, verifyStatuses } from './report.ts';
import { reportPage } from './report-page.ts';
import { nameOfResult, statusWords, summaryOf } from './text.ts';

const headings: Readonly<Record<VerifyStatus, string>> = {
  failing: 'Newly failing',
  different: 'Different',
  fixed: 'Fixed',
  skipped: 'Not run',
  same: 'Same',
};

/** Class names of the page, by status. */
const slugs: Readonly<Record<VerifyStatus, string>> = {
  failing: 'failed',
  different: 'warning',
  fixed: 'advice',
  skipped: 'unfit',
  same: 'passed',
};

/** `strict`: fixed and slower requests fail as well. */
export function verifyHtml(report: VerifyReport, strict = false): string {
  const { file, server, revision, results, warnings, durationMs } = report;
  const failures = results.filter((result) => isVerifyFailure(result, strict)).length;
  const verdict = failures === 0 ? 'No request failed' : `${failures} of ${results.length} failed`;
  const header = `<h1>Verification of <bdi>${htmlText(file)}</bdi></h1>
<p class="quiet">MCP server, revision ${htmlText(revision)}</p>
<p><code dir="auto">${htmlText(server)}</code></p>
<p class="summary">${htmlText(`${verdict}: ${summaryOf(report)}`)}</p>
${warnings.map((warning) => `<p>${htmlText(warning)}</p>`).join('\n')}
<p class="quiet">${(durationMs / 1000).toFixed(1)} s</p>`;
  const sections = verifyStatuses.map((status) => {
    return section(
      status,
      results.filter((result) => result.status === status),
    );
  });
  return reportPage({
    title: `${file}: ${summaryOf(report)}`,
    generator: 'standpipe verify',
    header,
    main: sections.join('\n'),
  });
}

function section(status: VerifyStatus, results: readonly VerifyResult[]): string {
  if (results.length === 0) return '';
  const heading = `<h2>${headings[status]} (${results.length})</h2>`;
  const items = results.map(resultHtml).join('\n');
  if (status === 'same') return `<details class="others passed"><summary>${heading}</summary>\n${items}\n</details>`;
  return `<section>\n${heading}\n${items}\n</section>`;
}

function resultHtml(result: VerifyResult): string {
  const { status, isSlower } = result;
  const word = isSlower ? `${statusWords[status]}, slower` : statusWords[status];
  const line = `<div class="line"><span class="status">${word}</span><span><h3>${htmlText(nameOfResult(result))}</h3></span></div>`;
  const details = detailsOf(result);
  if (details === '') return `<div class="rule ${slugs[status]}">${line}</div>`;
  const body = `<div class="group"><pre dir="auto">${htmlText(details)}</pre></div>`;
  return `<details class="rule ${slugs[status]}" open><summary>${line}</summary>\n${body}\n</details>`;
}
