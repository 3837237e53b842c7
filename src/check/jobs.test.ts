import { expect, test } from 'vitest';
import { Budget } from './budget.ts';
import { Deadline } from './in-parallel.ts';
import { type Job, runAll } from './jobs.ts';
import type { ProcessEnd } from './process-under-test.ts';
import { complete } from './rule.ts';
import { violation } from './verdict.ts';

const rule: Job['rule'] = complete({
  id: 'wire/made',
  level: 'MUST',
  title: 'be made',
  says: 'It is made.',
  fix: 'Make it.',
});
const judging = { language: undefined, hide: (text: string) => text, evidence: () => [], budget: new Budget() };

test('a rule has an outcome if its process ended by itself long after the rule, while the rule waited for answers', async () => {
  const tried: boolean[] = [];
  const job: Job = {
    rule,
    uses: 'shared',
    revisionRun: {},
    begin: (isAlone) => {
      const end: ProcessEnd = { laterMs: 1 };
      return {
        judging,
        check: () => {
          tried.push(isAlone);
          if (!isAlone) violation('An earlier rule caused this.');
        },
        leave: async () => {
          end.byItselfMs = Number.MAX_SAFE_INTEGER;
          return isAlone;
        },
        lastingEnds: () => (isAlone ? [] : [end]),
      };
    },
  };
  const [outcome] = await runAll([job], {}, new Deadline(100_000));
  expect(outcome).toMatchObject({ rule: 'wire/made', status: 'passed' });
  expect(tried).toEqual([false, true]);
});
