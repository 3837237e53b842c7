// Servers that follow the specification in other ways than the correct servers violate no rule of their family.

import { expect, test } from 'vitest';
import { isViolated } from '../../src/check/report/rule-results.ts';
import { checkServer } from '../../src/check/server/check-server.ts';
import { rightServers, wrongServer } from './mistakes.ts';

test.concurrent.each(rightServers)('$name is not reported', async ({ name, file, revision }) => {
  const [family] = file.split('-') as [string];
  const { outcomes } = await checkServer({
    ...wrongServer(name, file, revision),
    only: [family],
    timeoutMs: 20_000,
  });
  expect(outcomes.filter(isViolated)).toEqual([]);
  expect(outcomes.filter(({ status }) => status === 'passed').length).toBeGreaterThan(outcomes.length / 3);
});
