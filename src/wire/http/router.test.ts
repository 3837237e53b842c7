import { expect, test } from 'vitest';
import { Router } from './router.ts';

const router = new Router<string>();
router.add('GET', '/api/servers/:server/offer', 'offer');
router.add('POST', '/api/servers/:server/call', 'call');
router.add('GET', '/api/calls/:id', 'read');
router.add('DELETE', '/api/calls/:id', 'cancel');

test.each([
  ['weather', 'weather'],
  ['a%2Fb%20c', 'a/b c'],
  ['%252e', '%2e'],
  [':server', ':server'],
  ['*', '*'],
  ['__proto__', '__proto__'],
])('matches an encoded name, and then decodes it once: %s', (encoded, server) => {
  expect(router.find('GET', `/api/servers/${encoded}/offer`)).toEqual({ route: 'offer', names: { server } });
});

test.each([
  ['GET', '/api/servers//offer', 404, 'nothing at this address'],
  ['GET', '/api/servers/a/b/offer', 404, 'nothing at this address'],
  ['GET', '/api/servers/a/offer/', 404, 'nothing at this address'],
  ['GET', '/api/constructor', 404, 'nothing at this address'],
  ['POST', '/api/calls/1', 405, 'Only GET and DELETE'],
  ['GET', '/api/servers/%/offer', 400, 'invalid escape sequence'],
])('refuses %s %s with %i', (method, path, status, message) => {
  const refused = expect(() => router.find(method, path));
  refused.toThrow(expect.objectContaining({ status, message: expect.stringContaining(message) }));
});
