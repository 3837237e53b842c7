import { expect, test } from 'vitest';
import type { UsageError } from '../../../base/errors.ts';
import { type FleetOptions, readFleetOptions, readJoinOptions } from './fleet-options.ts';

const read = (options: FleetOptions, env: NodeJS.ProcessEnv = {}) => readFleetOptions(options, 'standpipe', env);

test('the scheme may be omitted in addresses of NATS', () => {
  const { servers, fleet } = read({ join: 'one, tls://two:4443,nats://[::1]:4222/' })!;
  expect(servers).toEqual(['nats://one', 'tls://two:4443', 'nats://[::1]:4222/']);
  expect(fleet).toBe('default');
});

test('an option takes precedence over its variable', () => {
  const env = { STANDPIPE_JOIN: 'nats://a', STANDPIPE_FLEET: 'b', STANDPIPE_NATS_CREDS: 'c' };
  expect(read({}, env)).toMatchObject({ servers: ['nats://a'], fleet: 'b', credentials: 'c' });
  expect(read({ join: 'd', fleet: 'e' }, env)).toMatchObject({ servers: ['nats://d'], fleet: 'e' });
});

test('without an address there is no fleet', () => {
  expect(read({})).toBeUndefined();
  expect(read({}, { STANDPIPE_FLEET: 'b' })).toBeUndefined();
});

test.each<[FleetOptions, string]>([
  [{ fleet: 'a' }, '--join nats://HOST'],
  [{ join: 'http://a' }, 'nats://HOST[:PORT]'],
  [{ join: 'nats://a/b' }, 'nats://HOST[:PORT]'],
  [{ join: ',' }, 'nats://HOST[:PORT]'],
  [{ join: 'a', fleet: 'a.b' }, '--fleet cannot be "a.b"'],
  [{ join: 'a', natsCert: 'c.pem' }, '--nats-key FILE'],
  [{ join: 'a', lease: 10 }, 'from 1s to 10m'],
])('%j is refused', (options, says) => {
  expect(textOf(options)).toContain(says);
});

test('an address in the environment may have a password', () => {
  expect(read({}, { STANDPIPE_JOIN: 'nats://me:hush@host' })!.servers).toEqual(['nats://me:hush@host']);
});

test('a password on the command line is refused, and not quoted', () => {
  const text = textOf({ join: 'nats://me:hush@host' });
  expect(text).toContain('--nats-creds FILE');
  expect(text).not.toContain('hush');
});

function textOf(options: FleetOptions): string {
  try {
    read(options);
  } catch (error) {
    const { message, hint } = error as UsageError;
    return `${message} ${hint}`;
  }
  return expect.unreachable();
}

test('reads the options of a node: its name, its labels, and the time limit for calls when it stops', () => {
  const plan = readJoinOptions({ join: 'nats://a', node: 'one', labels: 'gpu,eu', drain: 60_000 });
  expect(plan).toMatchObject({ node: 'one', labels: ['gpu', 'eu'], offers: true, drainMs: 60_000 });
});
