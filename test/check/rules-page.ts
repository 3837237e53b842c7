// The rules as Markdown, for docs/check.md.

import { type Protocol, type Role, type RuleInfo, rulesOf } from '../../src/check/checks.ts';
import { revisionsOfMcp } from '../../src/mcp/revisions.ts';

const parts: readonly [heading: string, role: Role, protocol: Protocol][] = [
  ['Servers of MCP', 'server', 'mcp'],
  ['Clients of MCP', 'client', 'mcp'],
  ['Servers of LiteMCP', 'server', 'litemcp'],
  ['Clients of LiteMCP', 'client', 'litemcp'],
];

const languages: Readonly<Record<string, string>> = {
  python: 'Python',
  node: 'Node.js',
  java: 'Java',
  dotnet: '.NET',
  go: 'Go',
  rust: 'Rust',
  ruby: 'Ruby',
  php: 'PHP',
  perl: 'Perl',
  powershell: 'PowerShell',
  shell: 'Shell',
};

/** Contains no counts and no lists of all rules, so that changes of different families do not conflict. */
export function rulesMarkdown(): string {
  return parts
    .flatMap(([heading, role, protocol]) => [`### ${heading}`, ...rulesOf(role, protocol).flatMap(ruleMarkdown)])
    .join('\n\n');
}

function ruleMarkdown({ id, level, levels, title, says, fix, revisions, link }: RuleInfo): string[] {
  const { any, ...others } = fix;
  const byLanguage = Object.entries(others).map(([language, text]) => `\n- ${languages[language]}: ${escaped(text)}`);
  return [
    `#### ${id}`,
    `**${level}**${span(revisions)}${otherLevels(levels, revisions)}: ${escaped(title)}.`,
    `${escaped(says)} ${sourceOf(link)}`,
    `**Fix.** ${escaped(any)}${byLanguage.length > 0 ? `\n${byLanguage.join('')}` : ''}`,
  ];
}

function span(revisions: RuleInfo['revisions']): string {
  if (revisions.length === 0 || revisions.length === revisionsOfMcp.length) return '';
  if (revisions.length === 1) return `, only ${revisions[0]}`;
  if (revisions[0] === revisionsOfMcp[0]) return `, since ${revisions.at(-1)}`;
  return `, ${revisions.at(-1)} to ${revisions[0]}`;
}

/** Levels that differ by revision, such as `; SHOULD in 2025-03-26, 2024-11-05`. */
function otherLevels(levels: RuleInfo['levels'] = {}, revisions: RuleInfo['revisions']): string {
  const differing = revisions.filter((each) => levels[each]);
  return [...new Set(differing.map((each) => levels[each]))]
    .map((level) => `; ${level} in ${differing.filter((each) => levels[each] === level).join(', ')}`)
    .join('');
}

function sourceOf(link: string): string {
  if (!link.startsWith('https://')) return '(No specification says so; users expect it.)';
  const [, sep] = /\/seps\/(\d+)/.exec(link) ?? [];
  const [, revision] = /\/specification\/([\d-]+|stable)\//.exec(link) ?? [];
  const [, extension = ''] = /\/(ext-\w+)\//.exec(link) ?? [];
  const other = link.includes('jsonrpc.org') ? 'JSON-RPC 2.0' : 'LiteMCP';
  const name = sep ? `MCP SEP-${sep}` : revision ? `MCP ${extension} ${revision}`.replace('  ', ' ') : other;
  return `([${name}](${link}))`;
}

/** Escapes `<` outside of code, where it would begin a tag. */
function escaped(text: string): string {
  return text.replace(/(`[^`]*`)|</g, (_, code) => code ?? '&lt;');
}
