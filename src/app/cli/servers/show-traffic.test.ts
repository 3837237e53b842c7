import { expect, test } from 'vitest';
import type { ServerConfig } from '../../../config/server-config.ts';
import { ServerSecrets } from './show-traffic.ts';

function server(env: Record<string, string>, args: string[] = []): ServerConfig {
  return { name: 'one', env, args, secrets: [] as string[] } as unknown as ServerConfig;
}

test('secrets of earlier configs stay hidden', () => {
  const secrets = new ServerSecrets([server({ API_KEY: 'first-value' }, ['--token', 'first-token'])]);
  secrets.learn([server({ API_KEY: 'second-value' })]);
  secrets.learn([]);
  expect(secrets.redact('first-value first-token second-value')).toBe('[env API_KEY] [redacted] [env API_KEY]');
});

test('hides both values of a variable of two servers', () => {
  const { redact } = new ServerSecrets([server({ API_KEY: 'value-of-a' }), server({ API_KEY: 'value-of-b' })]);
  expect(redact('value-of-a value-of-b')).toBe('[env API_KEY] [env API_KEY]');
});

test('values that are not masked for one server are not masked for all servers', () => {
  const { redact } = new ServerSecrets([server({ PORT: '3000', HOME: '/home/me', NODE_ENV: 'integration' })]);
  const text = '{"id":3000,"file":"/home/me/x","mode":"integration"}';
  expect(redact(text)).toBe(text);
});
