// The report as one HTML file: problems first, passed rules collapsed, without scripts and network access. All data is escaped, and the policy
// of the page allows only its own style.

import { htmlText as text } from '../../base/markup.ts';
import { counted } from '../../base/terminal/counted.ts';
import { reportPage } from '../../observe/verify/report-page.ts';
import { acceptedFindings, bySdk, type Finding, type Problem, problemsOf } from './problems.ts';
import { relevantFrames } from './relevant-frames.ts';
import { type CheckReport, type EvidenceLine, rulesToSkip, type Status } from './report.ts';
import { byFamily, type OutcomeGroup, type RuleResult, ruleResults, summaryOf, untested } from './rule-results.ts';

/** Class names by status. */
const slugs: Readonly<Record<Status, string>> = {
  failed: 'failed',
  warning: 'warning',
  advice: 'advice',
  passed: 'passed',
  'not applicable': 'unfit',
};

const kinds: Readonly<Record<EvidenceLine['kind'], string>> = {
  sent: '→ sent',
  received: '← received',
  stderr: 'stderr',
  event: 'event',
};

/** `strict`: warnings are failures. */
export function htmlOf(report: CheckReport, { strict = false }: { strict?: boolean } = {}): string {
  const { role, protocol, command, name, version, revisions, sdk, durationMs } = report;
  const results = ruleResults(report);
  const kind = `${protocol === 'mcp' ? 'MCP' : 'LiteMCP'} ${role}`;
  const title = `${name ?? command}: ${summaryOf(results)}`;
  const made = sdk ? `, ${text([sdk.name, sdk.version ?? ''].join(' ').trim())}` : '';
  const header = `<h1>Check of ${quoted(name ?? command)}${version === undefined ? '' : ` ${quoted(version)}`}</h1>
<p class="quiet">${kind}${revisions.length > 0 ? `, revisions ${revisions.join(', ')}` : ''}${made}</p>
<p><code dir="auto">${text(command)}</code></p>
<p class="summary">${text(summaryOf(results))}</p>
<p class="quiet">${(durationMs / 1000).toFixed(1)} s</p>`;
  const main = [
    ...problemSections(report),
    sdkSection(report),
    acceptedSection(report),
    untestedSection(report, results, strict),
    ...otherSections(results),
  ];
  return reportPage({ title, generator: 'standpipe check', header, main: main.join('\n') });
}

const headings = { failed: 'Problems', warning: 'Warnings', advice: 'Advice' } as const;

function problemSections(report: CheckReport): string[] {
  const problems = problemsOf(report);
  return Object.entries(headings).map(([status, heading]) => {
    return section(heading, problems.filter(({ head }) => head.first.status === status).map(problemHtml));
  });
}

/** Returns an empty text without items. */
function section(heading: string, items: readonly string[], count = items.length): string {
  return items.length === 0 ? '' : `<section>\n<h2>${heading} (${count})</h2>\n${items.join('\n')}\n</section>`;
}

function problemHtml({ head, elsewhere, also }: Problem): string {
  const { rule, first } = head;
  const open = first.status === 'advice' ? '' : ' open';
  const others = also.length > 0 ? `<p>Also violates:</p>\n${listHtml(also)}` : '';
  const same = elsewhere.length > 0 ? `<p>In other revisions:</p>\n${listHtml(elsewhere)}` : '';
  return `<details class="rule ${slugs[first.status]}"${open}><summary>${lineHtml(first.status, rule, first.level)}</summary>\n${findingHtml(head, same + others)}\n</details>`;
}

function lineHtml(status: Status, { id, title }: RuleResult, level: string): string {
  return `<div class="line"><span class="status">${status}</span><span><h3>${text(id)}</h3> ${text(title)} <span class="quiet">${level}</span></span></div>`;
}

function findingHtml({ first, revisions, outcomes }: OutcomeGroup, others = ''): string {
  const where = revisions.length > 0 && first.status !== 'advice' ? `${first.status} in ${revisions.join(', ')}` : '';
  const frames = outcomes.filter(({ evidence }) => evidence?.length);
  const parts = [
    first.reason === undefined ? '' : `<p class="reason" dir="auto">${text(first.reason)}</p>`,
    where === '' ? '' : `<p class="quiet">${where}</p>`,
    first.note === undefined ? '' : `<p>${text(first.note)}</p>`,
    first.says === undefined ? '' : `<p>The rule (${first.level}): ${text(first.says)} ${linkHtml(first.link)}</p>`,
    first.fix === undefined ? '' : `<p><strong>Fix:</strong> ${text(first.fix)}</p>`,
    ...frames.slice(0, 1).map(({ evidence }) => framesHtml(relevantFrames(evidence!))),
    others,
  ];
  return `<div class="group ${slugs[first.status]}">\n${parts.filter((part) => part !== '').join('\n')}\n</div>`;
}

function listHtml(findings: readonly Finding[]): string {
  const items = findings.map(({ rule, first }) => {
    return `<li class="${slugs[first.status]}"><span class="status">${first.status}</span> <code>${text(rule.id)}</code> <span dir="auto">${text(first.reason ?? '')}</span></li>`;
  });
  return `<ul class="list">\n${items.join('\n')}\n</ul>`;
}

function sdkSection(report: CheckReport): string {
  const groups = bySdk(report);
  const items = groups.map(([{ name, note, issue }, findings]) => {
    return `<p><strong>${text(name)}</strong>: ${text(note)} ${linkHtml(issue)}</p>\n${listHtml(findings)}`;
  });
  return section('From the SDK, not from your code', items, groups.flatMap(([, findings]) => findings).length);
}

function acceptedSection(report: CheckReport): string {
  const findings = acceptedFindings(report);
  return section('Accepted by the baseline', findings.length > 0 ? [listHtml(findings)] : [], findings.length);
}

/** Advice on options that would change the result. */
function untestedSection(report: CheckReport, results: readonly RuleResult[], strict: boolean): string {
  const reasons = [...untested(results)].map(([reason, rules]) => {
    return `<p>Not tested: ${counted(rules.length, 'rule')}, because ${quoted(reason)}</p>`;
  });
  const failing = rulesToSkip(report, strict);
  const skip =
    failing.length > 0 ? [`<p>To leave failed rules out: <code>--skip ${text(failing.join(','))}</code></p>`] : [];
  return [...reasons, ...skip].join('\n');
}

/** The section of rules without a violation, by family. It is collapsed. */
function otherSections(results: readonly RuleResult[]): string[] {
  return (['passed', 'not applicable'] as const).map((status) => {
    const ofStatus = results.filter((result) => result.status === status);
    if (ofStatus.length === 0) return '';
    const families = [...byFamily(ofStatus)].map(
      ([family, rules]) => `<h3>${text(family)}</h3>\n${rules.map(otherHtml).join('\n')}`,
    );
    const heading = status === 'passed' ? 'Passed' : 'Not applicable';
    return `<details class="others ${slugs[status]}"><summary><h2>${heading} (${ofStatus.length})</h2></summary>\n${families.join('\n')}\n</details>`;
  });
}

function otherHtml({ id, title, groups }: RuleResult): string {
  const reasons = groups.flatMap(({ first }) =>
    first.reason === undefined ? [] : `<p class="quiet" dir="auto">${text(first.reason)}</p>`,
  );
  const frames = groups.flatMap(({ outcomes }) =>
    outcomes.flatMap(({ evidence }) => (evidence?.length ? framesHtml(evidence) : [])),
  );
  return `<div class="rule"><p><code>${text(id)}</code> ${text(title)}</p>${[...reasons, ...frames].join('\n')}</div>`;
}

/** Our documentation is a file of the package, which the report cannot link to. */
function linkHtml(link: string | undefined): string {
  if (link === undefined) return '';
  if (!link.startsWith('https://')) return `<code>${text(link)}</code>`;
  return `<a href="${text(link)}" rel="noreferrer">${text(link)}</a>`;
}

function framesHtml(evidence: readonly EvidenceLine[]): string {
  const items = evidence.map(({ kind, text: shown, bytes }) => {
    const size = shown.endsWith('…') ? `<br>${bytes} bytes` : '';
    return `<li><span class="quiet">${kinds[kind]}${size}</span><pre dir="auto">${text(shown)}</pre></li>`;
  });
  return `<ol class="frames">\n${items.join('\n')}\n</ol>`;
}

/** Isolates the text direction of quoted data. */
function quoted(value: string): string {
  return `<bdi>${text(value)}</bdi>`;
}
