// The report as one HTML file: no script, no network, readable in light and dark. All data is text: it is escaped, and the policy of the page
// allows nothing but its own style.

import { createHash } from 'node:crypto';
import { counted } from '../../base/terminal/counted.ts';
import { visible } from '../../base/terminal/visible.ts';
import { slugs, style } from './html-style.ts';
import type { CheckReport, EvidenceLine, Outcome } from './report.ts';
import {
  byFamily,
  isViolated,
  type OutcomeGroup,
  type RuleResult,
  ruleResults,
  statuses,
  summaryOf,
  untested,
} from './rule-results.ts';

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

export function htmlOf(report: CheckReport): string {
  const { role, protocol, command, name, version, revisions, durationMs } = report;
  const results = ruleResults(report);
  const kind = `${protocol === 'mcp' ? 'MCP' : 'LiteMCP'} ${role}`;
  const title = `${name ?? command}: ${summaryOf(results)}`;
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
<p class="quiet">${kind}${revisions.length > 0 ? `, revisions ${revisions.join(', ')}` : ''}</p>
<p><code dir="auto">${text(command)}</code></p>
<p class="summary">${text(summaryOf(results))}</p>
<p class="quiet">${(durationMs / 1000).toFixed(1)} s</p>
${[...untested(results)].map(([reason, rules]) => `<p>Not tested: ${counted(rules.length, 'rule')}, because ${quoted(reason)}</p>`).join('\n')}
${filter(results)}
</header>
<main>
${[...byFamily(results)].map(([family, ofFamily]) => `<section class="family">\n<h2>${text(family)}</h2>\n${ofFamily.map(ruleHtml).join('\n')}\n</section>`).join('\n')}
</main>
</body>
</html>
`;
}

function filter(results: readonly RuleResult[]): string {
  const choice = (id: string, label: string, count: number, checked = '') =>
    `<label><input type="radio" name="show" id="show-${id}"${checked}>${label} (${count})</label>`;
  const ofStatuses = statuses.map((status) => {
    return choice(slugs[status], status, results.filter((result) => result.status === status).length);
  });
  return `<fieldset><legend>Show</legend>\n${[choice('all', 'all', results.length, ' checked'), ...ofStatuses].join('\n')}\n</fieldset>`;
}

function ruleHtml({ id, level, title, status, groups }: RuleResult): string {
  const line = `<span class="status">${status}</span><span><h3>${text(id)}</h3> ${text(title)} <span class="quiet">${level}</span></span>`;
  const inside = groups.map(groupHtml).join('\n');
  const slug = slugs[status];
  if (inside.trim() === '') return `<div class="rule ${slug}"><div class="line">${line}</div></div>`;
  const open = isViolated({ status }) ? ' open' : '';
  return `<details class="rule ${slug}"${open}><summary><div class="line">${line}</div></summary>\n${inside}\n</details>`;
}

function groupHtml(group: OutcomeGroup, _at: number, groups: readonly OutcomeGroup[]): string {
  const { first, revisions, outcomes } = group;
  const where = revisions.length > 0 ? `in ${revisions.join(', ')}` : '';
  const frames = outcomes.filter(({ evidence }) => evidence?.length);
  if (first.reason === undefined && frames.length === 0 && groups.length === 1) return '';
  const parts = [
    first.reason === undefined ? '' : `<p class="reason" dir="auto">${text(first.reason)}</p>`,
    where === '' || first.status === 'advice' ? '' : `<p class="quiet">${first.status} ${where}</p>`,
    first.says === undefined ? '' : `<p>The rule (${first.level}): ${text(first.says)} ${linkHtml(first.link)}</p>`,
    first.fix === undefined ? '' : `<p><strong>Fix:</strong> ${text(first.fix)}</p>`,
    ...frames.map((outcome) => framesHtml(outcome, frames.length > 1)),
  ];
  return `<div class="group ${slugs[first.status]}">\n${parts.filter((part) => part !== '').join('\n')}\n</div>`;
}

/** Pages of our own documentation are files of the package: no address leads to them from here. */
function linkHtml(link: string | undefined): string {
  if (link === undefined) return '';
  if (!link.startsWith('https://')) return `<code>${text(link)}</code>`;
  return `<a href="${text(link)}" rel="noreferrer">${text(link)}</a>`;
}

function framesHtml({ evidence, revision }: Outcome, isOneOfMany: boolean): string {
  const items = evidence!.map(({ kind, text: shown, bytes }) => {
    const size = shown.endsWith('…') ? `<br>${bytes} bytes` : '';
    return `<li><span class="quiet">${kinds[kind]}${size}</span><pre dir="auto">${text(shown)}</pre></li>`;
  });
  const label = isOneOfMany && revision ? `<p class="quiet">Frames in ${revision}</p>` : '';
  return `${label}<ol class="frames">\n${items.join('\n')}\n</ol>`;
}

/** Text of the other end does not change the direction of what stands around it. */
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
