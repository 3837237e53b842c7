import { expect, test } from 'vitest';
import type { ElicitResult } from '../mcp/types.ts';
import { type Caller, CallerQuestions, type Unanswered } from './caller-questions.ts';

const params = { message: 'Who?', requestedSchema: { type: 'object' as const, properties: {} } };
const context = { signal: new AbortController().signal };

function caller(answers: boolean) {
  const told: Unanswered[] = [];
  const ask = async (): Promise<ElicitResult> => ({ action: 'accept' });
  return { told, ask: answers ? ask : undefined, unanswered: (question) => told.push(question) } as Caller & {
    told: Unanswered[];
  };
}

function asking(...callers: Caller[]) {
  const questions = new CallerQuestions();
  const ends = callers.map((each) => questions.during('a', each));
  const ask = async (server = 'a') =>
    (await questions.inputs(server, { elicit: () => ({ action: 'cancel' }) }).elicit!(params, context)).action;
  return { ask, ends };
}

test('the only caller is asked', async () => {
  expect(await asking(caller(true)).ask()).toBe('accept');
});

test('of two callers neither is asked, since the question may be of the other; both hear of it', async () => {
  const [first, second] = [caller(true), caller(true)];
  const { ask, ends } = asking(first, second);
  expect(await ask()).toBe('cancel');
  for (const { told } of [first, second]) expect(told).toEqual([{ server: 'a', message: 'Who?', action: 'cancel' }]);
  ends[0]!();
  expect(await ask()).toBe('accept');
});

test('a caller without a person hears what became of the question', async () => {
  const alone = caller(false);
  expect(await asking(alone).ask()).toBe('cancel');
  expect(alone.told).toHaveLength(1);
});

test('a caller of another server, or one whose call is over, is not asked', async () => {
  const { ask, ends } = asking(caller(true));
  expect(await ask('b')).toBe('cancel');
  ends[0]!();
  expect(await ask()).toBe('cancel');
});

test('a client that can ask nobody at all declines', async () => {
  const { elicit } = new CallerQuestions().inputs('a', {});
  expect(await elicit!(params, context)).toEqual({ action: 'decline' });
});
