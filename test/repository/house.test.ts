// House rules that a test can check.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { longest } from '../longest-first.ts';
import { repositoryFiles, root } from './files.ts';
import { headingAnchors, links } from './markdown.ts';

const MAX_SOURCE_LINES = 400;
/** Longer files, with the reason why each is not split. */
const longSources: Record<string, string> = {};

/** Files with their own timers, with the reason why they need no clock for tests. */
const ownTimers: Record<string, string> = {
  'src/app/cli/output/output.ts': 'animates a sign on a terminal',
  'src/app/cli/up/view.ts': 'redraws a terminal',
};

const files = repositoryFiles();
const sources = files.filter((file) => /^src\/.*(?<!\.(?:test|contract|d))\.tsx?$/.test(file));
const pages = files.filter((file) => file.endsWith('.md'));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

test(`no source file is longer than ${MAX_SOURCE_LINES} lines, and the list of exceptions is not stale`, () => {
  const lines = (file: string) => read(file).trimEnd().split('\n').length;
  expect(sources.filter((file) => lines(file) > MAX_SOURCE_LINES)).toEqual(Object.keys(longSources));
});

test('time comes through the clock, and the list of exceptions is not stale', () => {
  const setsTimer = (file: string) => /(?<![.\w])(?:setTimeout|setInterval)\(|node:timers/.test(read(file));
  const clocked = sources.filter((file) => file !== 'src/base/clock.ts');
  expect(clocked.filter(setsTimer)).toEqual(Object.keys(ownTimers));
});

test('the folders below the fleet do not depend on it', () => {
  const lower = files.filter((file) => /^src\/(?:wire\/jsonrpc|wire\/transport|mcp)\//.test(file));
  const words = /\b(?:fleets?|nats|nodes?|hops?|replicas?)\b|Fleet|OfNode|carriesCaller/gi;
  const found = lower.flatMap((file) =>
    (
      read(file)
        .replace(/node:|Node\.js/g, '')
        .match(words) ?? []
    ).map((word) => `${file}: ${word}`),
  );
  expect(found).toEqual([]);
});

test('spreads `_meta` of a peer only after its type is known: a long string would become millions of members', () => {
  const spread = /\.\.\.\(?[\w.?!()]*\._meta\b|\.\.\._meta\b/;
  expect(sources.filter((file) => spread.test(read(file)))).toEqual([]);
});

test('programs that npx runs without confirmation have a version, because the name could later belong to another package', () => {
  const { version } = JSON.parse(read('package.json'));
  const named = pages.flatMap((file) => read(file).match(/npx -y standpipe(?:@[\w.-]+)?/g) ?? []);
  expect(new Set(named)).toEqual(new Set([`npx -y standpipe@${version}`]));
});

test('the test files that run first exist', () => {
  expect(longest.filter((file) => !files.includes(file))).toEqual([]);
});

test('no file is named after its users: a file is one idea and is named for it', () => {
  const nameless = /^(?:utils?|helpers?|common|misc|shared)(?:\.|$)/i;
  expect(files.filter((file) => file.split('/').some((part) => nameless.test(part)))).toEqual([]);
});

test('no page has two versions of a passage after a merge', () => {
  expect(pages.filter((file) => /^(?:<{7}|>{7}) /m.test(read(file)))).toEqual([]);
});

test('names are kebab-case', () => {
  const code = files.filter((file) => /\.(?:ts|tsx|mjs|js)$/.test(file));
  expect(code.filter((file) => !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)+$/.test(basename(file)))).toEqual([]);
});

test('fixtures register their cleanup when they are imported: a hook that a running test adds is never called', () => {
  const fixtures = files.filter((file) => /^test\/fixtures\/.*\.ts$/.test(file));
  expect(fixtures.filter((file) => /^ .*\bafterAll\(/m.test(read(file)))).toEqual([]);
});

test('every page of docs is linked from the README or from another page of docs', () => {
  const linked = new Set(pages.flatMap((page) => linkedFiles(page).map(({ file }) => file)));
  expect(pages.filter((page) => page.startsWith('docs/') && !linked.has(page))).toEqual([]);
});

test('every relative link has a target, including its heading', () => {
  const broken = pages.flatMap((page) =>
    linkedFiles(page)
      .filter(({ file, anchor }) => !leadsSomewhere(file, anchor))
      .map(({ link }) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

function linkedFiles(page: string): { link: string; file: string; anchor: string | undefined }[] {
  return links(read(page))
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path, anchor] = link.split('#');
      return { link, file: path ? posix.join(posix.dirname(page), decodeURI(path)) : page, anchor };
    });
}

function leadsSomewhere(file: string, anchor: string | undefined): boolean {
  if (!existsSync(join(root, file))) return false;
  if (anchor === undefined || statSync(join(root, file)).isDirectory()) return anchor === undefined;
  return headingAnchors(read(file)).includes(anchor);
}
