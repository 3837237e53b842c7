import { expect, test } from 'vitest';
import { readJoinOptions } from './join-options.ts';

test('the options of a node: its name, its labels, and how long calls may take to end', () => {
  const plan = readJoinOptions({ join: 'nats://a', node: 'one', labels: 'gpu,eu', drain: 60_000 });
  expect(plan).toMatchObject({ node: 'one', labels: ['gpu', 'eu'], offers: true, drainMs: 60_000 });
});
