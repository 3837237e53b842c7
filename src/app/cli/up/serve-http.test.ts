import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/temporary-folder.ts';
import { shellWord } from '../../../base/command-line.ts';
import { Host } from '../../../host/host.ts';
import { type HttpOptions, readHttpOptions, serveHost } from './serve-http.ts';

const folder = temporaryFolder('serve-http');
vi.stubEnv('XDG_CONFIG_HOME', folder); // excludes the tokens of the user who runs the tests
const none = join(folder, 'none');
const issuer = 'https://login.example.org';

const refused: [what: string, options: HttpOptions, says: string][] = [
  ['an address that is none', { http: 'x' }, '--http 8080'],
  ['a port that is none', { http: '65536' }, '--http 8080'],
  ['all addresses without authentication', { http: '0.0.0.0:0' }, 'standpipe token add'],
  ['a file of tokens that does not exist', { http: '0', tokens: none }, `token add <name> --tokens ${shellWord(none)}`],
  ['a certificate without its key', { http: '0', tlsCert: 'cert.pem' }, '--tls-key'],
  ['a certificate that does not exist', { http: '0', tlsCert: none, tlsKey: none }, none],
  ['a proxy without a public URL', { http: '0', behindProxy: true }, '--public-url'],
  ['a public URL without TLS', { http: '0', behindProxy: true, publicUrl: 'http://x' }, 'https'],
  ['an origin that is none', { http: '0', allowOrigin: ['*'] }, 'without a path'],
  ['an issuer without an audience', { http: '0', jwtIssuer: issuer }, '--jwt-audience'],
  ['an audience without an issuer', { http: '0', jwtAudience: 'x' }, '--jwt-issuer'],
  ['keys without an issuer', { http: '0', jwks: issuer }, '--jwt-issuer'],
  ['scopes without an issuer', { http: '0', jwtAnyScope: true }, '--jwt-issuer'],
  ['an issuer without TLS', { http: '0', jwtAudience: 'x', jwtIssuer: 'http://example.org' }, 'https'],
  ['options without --http', { publicUrl: 'https://gateway.example.org' }, '--http 8080'],
  ['a drain without --http', { drain: 1_000 }, '--http 8080'],
  ['scopes without --http', { jwtAnyScope: true }, '--http 8080'],
];

test.each(refused)('refuses %s, with a hint', async (_what, options, says) => {
  const host = new Host({ mcpServers: {} });
  const serving = async () => serveHost(host, readHttpOptions(options)!, join(folder, 'owner'), () => undefined);
  const error: { message: string; hint?: string } = await serving().then(
    () => expect.unreachable(),
    (thrown) => thrown,
  );
  expect(`${error.message} ${error.hint ?? ''}`).toContain(says);
});

test('serves nothing without HTTP options', () => {
  expect(readHttpOptions({})).toBeUndefined();
  expect(readHttpOptions({ drain: 1_000 }, true)).toBeUndefined();
});

test('writes an IPv6 address in brackets', () => {
  expect(readHttpOptions({ http: '[::1]:80' })).toMatchObject({ address: { host: '::1', port: 80 } });
  expect(readHttpOptions({ http: '80' })).toMatchObject({ address: { host: undefined, port: 80 } });
});
