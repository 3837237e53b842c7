import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { ElicitParams, SampleParams } from '../../../mcp/types.ts';
import { Questions } from './questions.ts';

const form: ElicitParams = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const prompt: SampleParams = { messages: [], maxTokens: 5 };
const waiting = () => ({ signal: new AbortController().signal });

function make() {
  const clock = new ManualClock();
  const questions = new Questions({ clock, graceMs: 100 });
  return { clock, questions, ...questions.inputs('s') };
}

test('a page that is closed for a moment still finds its question', async () => {
  const { clock, questions, elicit } = make();
  questions.pages = 1;
  const answer = elicit!(form, waiting());
  questions.pages = 0;
  clock.advance(99);
  questions.pages = 1;
  clock.advance(10_000);
  expect(questions.open).toHaveLength(1);
  questions.answer(questions.open[0]!.id, { action: 'decline' });
  expect(await answer).toEqual({ action: 'decline' });
});

test('without a page, a form is cancelled, and a text for a model is refused with a reason', async () => {
  const { clock, elicit, sample } = make();
  const answers = [elicit!(form, waiting()), sample!(prompt, waiting())];
  const refused = expect(answers[1]).rejects.toThrow('The Inspector is not open');
  clock.advance(100);
  expect(await answers[0]).toEqual({ action: 'cancel' });
  await refused;
});

test('a question ends when its server aborts it', async () => {
  const { questions, elicit } = make();
  questions.pages = 1;
  const over: string[] = [];
  questions.watch({ asked: () => undefined, settled: (id) => over.push(id) });
  const abort = new AbortController();
  const answer = elicit!(form, { signal: abort.signal });
  const { id } = questions.open[0]!;
  abort.abort();
  expect(await answer).toEqual({ action: 'cancel' });
  expect(over).toEqual([id]);
  expect(questions.settled).toEqual([id]);
  expect(questions.answer(id, { action: 'accept' })).toBe(false);
});

test('refuses more than a hundred questions of a server', async () => {
  const { questions, elicit } = make();
  questions.pages = 1;
  for (let i = 0; i < 100; i++) void elicit!(form, waiting());
  expect(await elicit!(form, waiting())).toEqual({ action: 'cancel' });
  expect(questions.open).toHaveLength(100);
});

test('an invalid answer has no effect', () => {
  const { questions, sample } = make();
  questions.pages = 1;
  void sample!(prompt, waiting());
  const { id } = questions.open[0]!;
  for (const odd of [null, [], {}, { role: 'system', model: 'm', content: {} }, { role: 'user', content: {} }]) {
    expect(() => questions.answer(id, odd)).toThrow();
  }
  expect(questions.open).toHaveLength(1);
});

test('a question that cannot be shown does not wait for an answer', async () => {
  const { questions, elicit, sample } = make();
  questions.pages = 1;
  const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
  expect(await elicit!({ ...form, _meta: { deep } } as ElicitParams, waiting())).toEqual({ action: 'cancel' });
  await expect(sample!({ ...prompt, metadata: { deep } } as SampleParams, waiting())).rejects.toThrow('too deeply');
  expect(questions.open).toEqual([]);
});
