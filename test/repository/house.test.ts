// House rules that a machine can see.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { longest } from '../longest-first.ts';
import { repositoryFiles, root } from './files.ts';
import { headingAnchors, links } from './markdown.ts';

const MAX_SOURCE_LINES = 400;
/** Longer ones, with the reason why they are not two files. */
const longSources: Record<string, string> = {};

/** Those that set timers of their own, with the reason why nobody wants to turn their clock. */
const ownTimers: Record<string, string> = {
  'src/app/cli/output/output.ts': 'moves a sign on a terminal',
  'src/app/cli/up/view.ts': 'draws a terminal anew',
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

test('the layers below the fleet know nothing of it', () => {
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

test('`_meta` of a peer is spread only after its type is known: a long string would become millions of members', () => {
  const spread = /\.\.\.\(?[\w.?!()]*\._meta\b|\.\.\._meta\b/;
  expect(sources.filter((file) => spread.test(read(file)))).toEqual([]);
});

test('what npx runs without asking has a version: any package could have the name later', () => {
  const { version } = JSON.parse(read('package.json'));
  const named = pages.flatMap((file) => read(file).match(/npx -y standpipe(?:@[\w.-]+)?/g) ?? []);
  expect(new Set(named)).toEqual(new Set([`npx -y standpipe@${version}`]));
});

test('the test files that begin first are there', () => {
  expect(longest.filter((file) => !files.includes(file))).toEqual([]);
});

test('no file is named for being used by others: a file is one idea and is named for it', () => {
  const nameless = /^(?:utils?|helpers?|common|misc|shared)(?:\.|$)/i;
  expect(files.filter((file) => file.split('/').some((part) => nameless.test(part)))).toEqual([]);
});

test('no page holds two versions of a passage after a merge', () => {
  expect(pages.filter((file) => /^(?:<{7}|>{7}) /m.test(read(file)))).toEqual([]);
});

test('names are kebab-case', () => {
  const code = files.filter((file) => /\.(?:ts|tsx|mjs|js)$/.test(file));
  expect(code.filter((file) => !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)+$/.test(basename(file)))).toEqual([]);
});

test('fixtures register what ends their processes when they are imported: a hook of a running test is never called', () => {
  const fixtures = files.filter((file) => /^test\/fixtures\/.*\.ts$/.test(file));
  expect(fixtures.filter((file) => /^ .*\bafterAll\(/m.test(read(file)))).toEqual([]);
});

test('every page of docs is linked from the README or from another page of docs', () => {
  const linked = new Set(pages.flatMap((page) => linkedFiles(page).map(({ file }) => file)));
  expect(pages.filter((page) => page.startsWith('docs/') && !linked.has(page))).toEqual([]);
});

test('every relative link leads somewhere, to its heading too', () => {
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
