// The redirect of a login is accepted once on the loopback interface, with the right state.

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { type LoopbackOptions, loopbackRedirect } from '../../src/wire/oauth/loopback-redirect.ts';

const page = new URL('https://issuer.example/authorize');

async function waiting(options: Partial<LoopbackOptions> = {}) {
  const shown: URL[] = [];
  const interaction = await loopbackRedirect({ show: (url) => void shown.push(url), ...options });
  const answer = interaction.authorize(page, 'expected').finally(() => interaction.close());
  return { answer, shown, url: interaction.redirectUrl };
}

const get = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, text: await response.text(), headers: response.headers };
};

test('accepts the redirect with the state of the login, and refuses others without an effect', async () => {
  const { answer, shown, url } = await waiting();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  for (const other of ['?code=evil', '?code=evil&state=other', '/../favicon.ico', '/below?state=expected&code=evil']) {
    expect((await get(`${url}${other}`)).status).toBe(400);
  }
  expect((await fetch(`${url}?code=evil&state=expected`, { method: 'POST' })).status).toBe(400);
  const { status, text, headers } = await get(`${url}?code=c<b>&state=expected&iss=x`);
  expect([status, text]).toEqual([200, expect.stringContaining('You can close this page')]);
  expect(text).toContain('color-scheme: light dark');
  expect(text).not.toContain('<b>');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(Object.fromEntries(await answer)).toEqual({ code: 'c<b>', state: 'expected', iss: 'x' });
  expect(shown).toEqual([page]);
  await expect(fetch(url)).rejects.toThrow();
});

test('an unused connection is closed at the end of the login', async () => {
  const { answer, url } = await waiting();
  const early = connect(Number(new URL(url).port), '127.0.0.1');
  await once(early, 'connect');
  expect((await get(`${url}?code=c&state=expected`)).status).toBe(200);
  await answer;
  await once(early.resume(), 'close');
});

test('reports a refusal in the browser, and shows it on the page', async () => {
  const { answer, url } = await waiting();
  expect((await get(`${url}?error=access_denied&state=expected`)).text).toContain('was refused');
  expect((await answer).get('error')).toBe('access_denied');
});

test('accepts a pasted address, and requests another one if it belongs to another login', async () => {
  let addresses: string[] = [];
  let pastes = 0;
  const paste = async () => addresses[pastes++]!;
  const interaction = await loopbackRedirect({ show: () => undefined, paste });
  const at = interaction.redirectUrl;
  addresses = [
    'nonsense',
    'https://evil.example/callback?code=c&state=expected',
    `${at}?code=c&state=x`,
    `${at}?code=c&state=expected`,
  ];
  expect((await interaction.authorize(page, 'expected')).get('code')).toBe('c');
  expect(pastes).toBe(4);
  interaction.close();
});

test('ends a login that is never completed, and one that is interrupted', async () => {
  const clock = new ManualClock();
  const late = await waiting({ clock, timeoutMs: 60_000 });
  const ended = expect(late.answer).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
  clock.advance(60_000);
  await ended;
  expect(clock.pending).toBe(0);
  const controller = new AbortController();
  const stopped = await waiting({ signal: controller.signal });
  controller.abort(new Error('Ctrl-C'));
  await expect(stopped.answer).rejects.toThrow('Ctrl-C');
});

test('names a port that is in use', async () => {
  const { answer, url } = await waiting();
  const port = Number(new URL(url).port);
  await expect(waiting({ port })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining(String(port)),
  });
  await get(`${url}?code=c&state=expected`);
  await answer;
});
