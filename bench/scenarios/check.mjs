// The whole `standpipe check` of a healthy server: its duration, and whether its outcome is the same each time. One
// sample is ten runs, so five rounds on four servers are two hundred runs.

import { checkServer } from '../../dist/entry/check.js';
import { realServers } from '../../test/fixtures/check/real-servers.mjs';
import { makeTempFolder } from '../temp-folder.mjs';

const names = ['our example in TypeScript', 'our example in Python', 'our example in Java', 'server-everything'];

export const title = 'standpipe check, all rules in all revisions';
export const contenders = names.map((name) => ({ name }));
export const metrics = [
  { key: 'seconds', label: 's', digits: 1 },
  { key: 'changed', label: 'outcomes that changed', digits: 0 },
];
export const cases = ({ quick }) => [{ label: 'run', runs: quick ? 2 : 10 }];

export async function measure({ name }, { runs }) {
  const folder = makeTempFolder();
  try {
    const { missing, ...options } = realServers(folder.path).find((each) => each.name === name);
    if (missing) throw new Error(missing);
    const reports = [];
    for (let run = 0; run < runs; run++) reports.push(await checkServer(options));
    const [first, ...others] = reports.map(({ outcomes }) => outcomes.map(textOf));
    const changed = others.flatMap((outcomes) => outcomes.filter((text, at) => text !== first[at])).length;
    const seconds = reports.map(({ durationMs }) => durationMs / 1000).toSorted((a, b) => a - b);
    return { seconds: seconds[Math.floor(runs / 2)], changed };
  } finally {
    folder.remove();
  }
}

function textOf({ rule, revision, status }) {
  return `${rule} ${revision} ${status}`;
}

export const targets = names.flatMap((name) => [
  { text: `check of ${name}: seconds`, value: ({ median }) => median('run', name, 'seconds'), atMost: 15 },
  { text: `check of ${name}: outcomes that changed`, value: ({ median }) => median('run', name, 'changed'), atMost: 0 },
]);
