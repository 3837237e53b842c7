// The report as one HTML file: problems first, passed rules collapsed, without scripts and network access. All data is escaped, and the policy
// of the page allows only its own style.

import { createHash } from 'node:crypto';
import { counted } from '../../base/terminal/counted.ts';
import { visible } from '../../base/terminal/visible.ts';
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

const style = `
:root {
  color-scheme: light dark;
  --text: #1c2128; --quiet: #57606a; --page: #ffffff; --box: #f4f6f8; --line: #d0d7de; --link: #0550ae;
  --failed: #b3261e; --warning: #7a5300; --advice: #0a5c7a; --passed: #116329; --unfit: #57606a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3; --quiet: #9ea7b3; --page: #0d1117; --box: #161b22; --line: #30363d; --link: #79b8ff;
    --failed: #ff8a80; --warning: #e3b341; --advice: #76c7e0; --passed: #56d364; --unfit: #9ea7b3;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 62rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { margin: 0 0 0.25rem; font-size: 1.6rem; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.2rem; }
h3 { display: inline; margin: 0; font-size: 1rem; font-weight: 600; }
p { margin: 0.4rem 0; }
a { color: var(--link); }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
.quiet { color: var(--quiet); }
.summary { font-size: 1.1rem; font-weight: 600; }
.rule { border-top: 1px solid var(--line); padding: 0.5rem 0; }
.line { display: grid; grid-template-columns: 9rem 1fr; gap: 0 0.75rem; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary .status::after { content: " ▸"; }
details[open] > summary .status::after { content: " ▾"; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
.status { font-weight: 600; }
.failed .status, .failed .reason { color: var(--failed); }
.warning .status, .warning .reason { color: var(--warning); }
.advice .status, .advice .reason { color: var(--advice); }
.passed .status { color: var(--passed); }
.unfit .status { color: var(--unfit); }
.others { border-top: 1px solid var(--line); padding: 0.75rem 0; }
.others h2 { display: inline; margin: 0; font-size: 1.1rem; }
.others > summary::before { content: "▸ "; color: var(--quiet); }
.others[open] > summary::before { content: "▾ "; }
.others h3 { display: block; margin: 1.25rem 0 0.25rem; }
.others .rule { padding: 0.15rem 0; border: 0; }
.list { margin: 0.25rem 0 0.75rem; padding-left: 1.25rem; }
.list li { margin: 0.2rem 0; }
.list .status { font-size: 0.875rem; }
.group { margin: 0.75rem 0 0.75rem 9.75rem; }
.reason { font-weight: 600; }
.frames { margin: 0.5rem 0; padding: 0.5rem 0.75rem; list-style: none; background: var(--box); border: 1px solid var(--line); border-radius: 6px; }
.frames li { display: grid; grid-template-columns: 6rem 1fr; gap: 0.5rem; }
.frames pre { margin: 0; white-space: pre-wrap; }
@media (max-width: 40rem) {
  .line { grid-template-columns: 1fr; }
  .group { margin-left: 0; }
  .frames li { grid-template-columns: 1fr; gap: 0; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
  summary .status::after, details[open] > summary .status::after { content: ""; }
  .frames li, .line { break-inside: avoid; }
  h2 { break-after: avoid; }
}
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="standpipe check">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Check of ${quoted(name ?? command)}${version === undefined ? '' : ` ${quoted(version)}`}</h1>
<p class="quiet">${kind}${revisions.length > 0 ? `, revisions ${revisions.join(', ')}` : ''}${made}</p>
<p><code dir="auto">${text(command)}</code></p>
<p class="summary">${text(summaryOf(results))}</p>
<p class="quiet">${(durationMs / 1000).toFixed(1)} s</p>
</header>
<main>
${[...problemSections(report), sdkSection(report), acceptedSection(report), untestedSection(report, results, strict), ...otherSections(results)].join('\n')}
</main>
</body>
</html>
`;
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

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function text(value: string): string {
  return visible(value).replace(/[&<>"']/g, (character) => entities[character]!);
}
