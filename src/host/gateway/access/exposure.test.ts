import { describe, expect, test } from 'vitest';
import { checkExposure, checkOrigin, type Exposure, isLoopbackHost, isWildcard, ownHosts } from './exposure.ts';

const local = ['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost'];
const remote = [
  '0.0.0.0',
  '::',
  '192.168.1.5',
  '10.0.0.1',
  '128.0.0.1',
  'fe80::1',
  '::ffff:10.0.0.1',
  'example.org',
  '',
];

test('loopback addresses are recognized', () => {
  for (const host of local) expect([host, isLoopbackHost(host)]).toEqual([host, true]);
  for (const host of [...remote, 'localhost.example.org', '127.0.0.1.example.org', '127.1']) {
    expect([host, isLoopbackHost(host)]).toEqual([host, false]);
  }
  expect(['0.0.0.0', '::', '0::0', ''].map(isWildcard)).toEqual([true, true, true, true]);
  expect(isWildcard('::1')).toBe(false);
});

const publicUrl = 'https://gateway.example.org';
const plan = (host: string, more: Partial<Exposure> = {}): Exposure => ({
  host,
  checks: 'auth',
  hasTls: false,
  behindProxy: false,
  publicUrl: undefined,
  ...more,
});

describe('the gateway may listen on', () => {
  test.each(local)('%s, with any kind of authentication or none', (host) => {
    for (const checks of ['auth', 'owner token', 'nothing'] as const) checkExposure(plan(host, { checks }));
  });

  test.each(remote)('"%s", with authentication and TLS, or with a proxy', (host) => {
    checkExposure(plan(host, { hasTls: true, publicUrl }));
    checkExposure(plan(host, { behindProxy: true, publicUrl }));
  });

  test('a single address without a public URL', () => {
    checkExposure(plan('192.168.1.5', { hasTls: true }));
  });

  test('the loopback behind a proxy, with the token of the owner', () => {
    checkExposure(plan('127.0.0.1', { checks: 'owner token', behindProxy: true, publicUrl }));
  });
});

const insecure = expect.objectContaining({ code: 'INSECURE_ADDRESS', hint: expect.stringContaining('--') });
const refusalOf = (exposure: Exposure) => {
  try {
    checkExposure(exposure);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('the gateway refuses to listen on', () => {
  test.each(remote)('"%s" without authentication, whatever else is given', (host) => {
    for (const checks of ['owner token', 'nothing'] as const) {
      expect(refusalOf(plan(host, { checks, hasTls: true, publicUrl }))).toEqual(insecure);
      expect(refusalOf(plan(host, { checks, behindProxy: true, publicUrl }))).toEqual(insecure);
    }
  });

  test.each(remote)('"%s" without TLS', (host) => {
    expect(refusalOf(plan(host))).toEqual(insecure);
    expect(refusalOf(plan(host, { publicUrl }))).toEqual(insecure);
  });

  test('a loopback address without authentication behind a proxy', () => {
    expect(refusalOf(plan('127.0.0.1', { checks: 'nothing', behindProxy: true, publicUrl }))).toEqual(insecure);
    expect(refusalOf(plan('127.0.0.1', { checks: 'nothing', publicUrl }))).toEqual(insecure);
  });

  test('a proxy, or all addresses, without the URL that clients use', () => {
    for (const exposure of [plan('127.0.0.1', { behindProxy: true }), plan('0.0.0.0', { hasTls: true })]) {
      expect(refusalOf(exposure)).toMatchObject({ code: 'INVALID_OPTION' });
    }
  });

  test.each([
    'http://gateway.example.org',
    'gateway.example.org',
    'https://gateway.example.org/mcp',
    'https://gateway.example.org?',
    'https://user:secret@gateway.example.org',
    'file:///etc/passwd',
    '',
  ])('the public URL "%s"', (text) => {
    expect(refusalOf(plan('127.0.0.1', { publicUrl: text }))).toMatchObject({ code: 'INVALID_OPTION' });
  });
});

test('accepts an origin only as browsers write it', () => {
  for (const text of ['https://app.example.org', 'http://localhost:3000']) checkOrigin(text);
  for (const text of ['*', 'null', 'https://app.example.org/', 'https://App.example.org', 'https://a:443', 'data:x']) {
    expect(() => checkOrigin(text)).toThrow('is not an origin');
  }
});

test('the accepted Host values are the names of this server', () => {
  expect([...ownHosts('127.0.0.2', 80, undefined)]).toEqual([
    '127.0.0.1:80',
    'localhost:80',
    '[::1]:80',
    '127.0.0.2:80',
  ]);
  expect([...ownHosts('192.168.1.5', 80, undefined)]).toEqual(['192.168.1.5:80']);
  expect(ownHosts('0.0.0.0', 80, 'https://Gateway.example.org:443')).toContain('gateway.example.org');
  expect(ownHosts('0.0.0.0', 80, 'https://gateway.example.org:8443')).toContain('gateway.example.org:8443');
  expect([...ownHosts('fe80::1', 80, undefined)]).toEqual(['[fe80::1]:80']);
});
