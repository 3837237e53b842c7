// The result of `lock` in words, as JSON, as JUnit XML and as SARIF.

import { xmlAttribute, xmlText } from '../../../base/markup.ts';
import type { Paint } from '../../../base/terminal/colours.ts';
import { visible, visibleIndented, visibleLine } from '../../../base/terminal/visible.ts';
import type { LockedServer } from '../../../config/lock/locked-server.ts';
import { LOCK_FILE } from '../../../config/lock/server-lock.ts';
import { type ChangeClass, type ClassifiedChange, changeClasses } from '../../../mcp/classified-change.ts';
import { ownInfo } from '../../../mcp/own-info.ts';
import { errorDocument } from '../show-error.ts';
import type { LockStatus, Surveyed } from './survey.ts';

const statusTexts: Readonly<Record<LockStatus, string>> = {
  approved: 'as approved',
  changed: 'changed',
  new: 'not in the lock',
  unsound: 'its part of the lock cannot be used',
  volatile: 'differs between two listings',
  failed: 'could not be listed',
};
const colours = {
  approved: 'green',
  changed: 'yellow',
  new: 'yellow',
  unsound: 'red',
  volatile: 'red',
  failed: 'red',
} as const;
const classColours: Partial<Record<ChangeClass, 'green' | 'red' | 'yellow'>> = {
  added: 'green',
  removed: 'red',
  'new instruction': 'red',
  'annotation weakened': 'red',
};

export function fails({ status }: Surveyed): boolean {
  return status !== 'approved';
}

/** One line: the state of a server, and the classes of its changes. */
export function summaryLine({ config, status, changes }: Surveyed, paint: Paint): string {
  const classes = changeClasses.flatMap((kind) => {
    const count = changes.filter((change) => change.class === kind).length;
    return count > 0 ? [`${count} ${kind}`] : [];
  });
  const details = status === 'changed' ? `: ${classes.join(', ')}` : '';
  return `${visibleLine(config.name)}: ${paint(colours[status], statusTexts[status])}${details}\n`;
}

/** Text of servers is escaped: it is what a person reviews. */
export function linesOf({ config, status, changes, volatile, after, error }: Surveyed, paint: Paint): string {
  const lines = [`${paint('bold', visibleLine(config.name))}: ${paint(colours[status], statusTexts[status])}`];
  if (error) lines.push(`  ${visibleIndented(error.message)}`);
  for (const change of changes) {
    lines.push(`  ${changeLine(change, paint)}`);
    if (change.class === 'added') lines.push(...descriptionOf(change, after).map((line) => `      ${line}`));
  }
  for (const mask of volatile.masks) lines.push(`  differs: ${visibleLine(mask)}`);
  for (const other of volatile.others) lines.push(`  differs: ${visibleLine(other)}`);
  return `${lines.join('\n')}\n`;
}

const MOST_LINES = 20;

/** The texts of an added entry that a model would read. */
function descriptionOf({ what, name }: ClassifiedChange, after: LockedServer | undefined): string[] {
  if (what === 'server') return [];
  const entries = Object.values(after?.lists ?? {}).flat();
  const found = entries.find((entry) => entry.name === name);
  const lines = textsIn(found?.definition, '').flatMap(({ path, text }) =>
    visible(path === 'description' ? text : `${path}: ${text}`)
      .trim()
      .split('\n'),
  );
  return lines.length > MOST_LINES
    ? [...lines.slice(0, MOST_LINES), `… ${lines.length - MOST_LINES} more lines`]
    : lines;
}

const textKeys = new Set(['title', 'description', 'default', 'examples', '$comment']);
const DEEPEST = 64;

function textsIn(value: unknown, path: string, level = 0): { path: string; text: string }[] {
  if (level > DEEPEST || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const place = path === '' ? key : `${path}.${key}`;
    if (typeof each !== 'string') return textsIn(each, place, level + 1);
    return textKeys.has(key) ? [{ path: place, text: each }] : [];
  });
}

function changeLine({ class: kind, text, ...place }: ClassifiedChange, paint: Paint): string {
  const colour = classColours[kind];
  const label = colour ? paint(colour, kind) : kind;
  const said = kind === 'added' || kind === 'removed' ? '' : ` ${visibleIndented(text)}`;
  return `${label}: ${visibleLine(placeOf(place))}${said}`;
}

function placeOf({ what, name, path }: Pick<ClassifiedChange, 'what' | 'name' | 'path'>): string {
  return [what === 'server' ? '' : `${what} ${name}`, path].filter((part) => part !== '').join(' ');
}

export function documentOf(surveyed: readonly Surveyed[], unused: readonly string[]) {
  const servers = surveyed.map(({ config, file, status, changes, volatile, before, after, error }) => ({
    name: config.name,
    lock: file,
    status,
    changes,
    ...(status === 'volatile' && { volatile }),
    ...(before && { approved: before.approved }),
    ...(after?.package && { package: after.package }),
    ...(error && { error: errorDocument(error) }),
  }));
  return { servers, unused };
}

interface LockFinding {
  rule: string;
  name: string;
  message: string;
}

/** One finding for each change, or one for a server that could not be compared. */
function findingsOf({ config, status, changes, volatile, error }: Surveyed): LockFinding[] {
  if (status === 'approved') return [];
  const server = config.name;
  const finding = (rule: string, name: string, message: string) => ({
    rule: `lock/${rule.replaceAll(' ', '-')}`,
    name,
    message: visible(message),
  });
  if (status === 'failed' || status === 'unsound')
    return [finding(status, server, `${server}: ${statusTexts[status]}${error ? `: ${error.message}` : ''}`)];
  if (status === 'volatile')
    return [...volatile.masks, ...volatile.others].map((part) =>
      finding(status, part, `${server}: ${part} ${statusTexts.volatile}`),
    );
  if (status === 'new') return [finding('new-server', server, `${server} is not in ${LOCK_FILE}`)];
  return changes.map((change) =>
    finding(change.class, placeOf(change), `${server}: ${placeOf(change)}: ${change.class}: ${change.text}`),
  );
}

/** A suite for each server, and a test case for each change. */
export function junitOf(surveyed: readonly Surveyed[]): string {
  const suites = surveyed.map((each) => {
    const findings = findingsOf(each);
    const name = xmlAttribute(each.config.name);
    const cases = findings.map(
      ({ rule, name, message }) =>
        `    <testcase classname="standpipe.lock" name="${xmlAttribute(name)}">\n      <failure type="${rule}" message="${xmlAttribute(message)}">${xmlText(message)}</failure>\n    </testcase>`,
    );
    const passed = `    <testcase classname="standpipe.lock" name="definitions"/>`;
    return [
      `  <testsuite name="${name}" tests="${Math.max(1, cases.length)}" failures="${cases.length}" skipped="0" errors="0">`,
      ...(cases.length > 0 ? cases : [passed]),
      '  </testsuite>',
    ].join('\n');
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="standpipe lock">',
    ...suites,
    '</testsuites>\n',
  ].join('\n');
}

const rules: readonly string[] = [
  ...changeClasses.map((each) => `lock/${each.replaceAll(' ', '-')}`),
  'lock/new-server',
  'lock/volatile',
  'lock/unsound',
  'lock/failed',
];

/** SARIF 2.1.0. A result is at the line of the lock that names the server. `textOf`: the text of a lock, or ''. */
export function sarifOf(surveyed: readonly Surveyed[], textOf: (file: string) => string): object {
  const results = surveyed.flatMap((each) =>
    findingsOf(each).map(({ rule, message }) => ({
      ruleId: rule,
      ruleIndex: rules.indexOf(rule),
      level: 'error',
      message: { text: message },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: LOCK_FILE },
            region: { startLine: lineOf(each.config.name, textOf(each.file)) },
          },
        },
      ],
    })),
  );
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'standpipe', version: ownInfo.version, rules: rules.map((id) => ({ id })) } },
        results,
      },
    ],
  };
}

/** The parts of servers are indented by four spaces. */
function lineOf(server: string, text: string): number {
  const at = text.indexOf(`\n    ${JSON.stringify(server)}: {`);
  return at < 0 ? 1 : text.slice(0, at + 1).split('\n').length;
}
