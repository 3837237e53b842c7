import { expect, it } from 'vitest';
import type { LogLevel } from '../../types.ts';
import { ServerLogLevel } from './server-log-level.ts';

function server() {
  const sent: LogLevel[] = [];
  const answers: { resolve: (answer: unknown) => void; reject: (error: Error) => void }[] = [];
  const warnings: string[] = [];
  const level = new ServerLogLevel(
    (each) => {
      sent.push(each);
      return new Promise((resolve, reject) => answers.push({ resolve, reject }));
    },
    (code) => void warnings.push(code),
  );
  const settled = () => new Promise(setImmediate);
  const answer = async () => {
    answers.shift()!.resolve({});
    await settled();
  };
  const refuse = async () => {
    answers.shift()!.reject(new Error('no'));
    await settled();
  };
  return { level, sent, warnings, answer, refuse };
}

it('has one pending request, and sends only the newest level after it', async () => {
  const { level, sent, answer } = server();
  for (let at = 0; at < 1000; at++) level.update(at % 2 === 0 ? 'debug' : 'error');
  expect(sent).toEqual(['debug']);
  await answer();
  expect(sent).toEqual(['debug', 'error']);
  await answer();
  expect(sent).toEqual(['debug', 'error']);
  level.update('info');
  expect(sent).toEqual(['debug', 'error', 'info']);
});

it('sends the newest level after a refused one, and warns once for each refused request', async () => {
  const { level, sent, warnings, refuse, answer } = server();
  level.update('debug');
  level.update('error');
  level.update('info');
  await refuse();
  expect(sent).toEqual(['debug', 'info']);
  expect(warnings).toEqual(['log-level-refused']);
  await answer();
  expect(warnings).toEqual(['log-level-refused']);
});

it('answers a request for a level with the answer of the server to the newest one', async () => {
  const { level, sent, answer } = server();
  const answered: string[] = [];
  void level.choose('debug', undefined).then(() => answered.push('debug'));
  void level.choose('error', undefined).then(() => answered.push('error'));
  void level.choose('info', undefined).then(() => answered.push('info'));
  await answer();
  expect(answered).toEqual(['debug']);
  await answer();
  expect([answered, sent]).toEqual([
    ['debug', 'error', 'info'],
    ['debug', 'info'],
  ]);
});
