import { expect, test } from 'vitest';
import type { ServerConfig } from '../../../config/server-config.ts';
import { ServerSecrets } from './show-traffic.ts';

function server(env: Record<string, string>, args: string[] = []): ServerConfig {
  return { name: 'one', env, args, secrets: [] as string[] } as unknown as ServerConfig;
}

test('a secret that the config had once stays hidden: what was said with it is still shown', () => {
  const secrets = new ServerSecrets([server({ API_KEY: 'first-value' }, ['--token', 'first-token'])]);
  secrets.learn([server({ API_KEY: 'second-value' })]);
  secrets.learn([]);
  expect(secrets.redact('first-value first-token second-value')).toBe('[env API_KEY] [redacted] [env API_KEY]');
});

test('two servers with different values of one variable are both hidden', () => {
  const { redact } = new ServerSecrets([server({ API_KEY: 'value-of-a' }), server({ API_KEY: 'value-of-b' })]);
  expect(redact('value-of-a value-of-b')).toBe('[env API_KEY] [env API_KEY]');
});

test('what is never masked for one server is not masked for all of them', () => {
  const { redact } = new ServerSecrets([server({ PORT: '3000', HOME: '/home/me', NODE_ENV: 'integration' })]);
  const text = '{"id":3000,"file":"/home/me/x","mode":"integration"}';
  expect(redact(text)).toBe(text);
});
