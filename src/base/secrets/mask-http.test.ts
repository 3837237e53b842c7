import { expect, test } from 'vitest';
import { headerLines, maskedUrl, shortSession } from './mask-http.ts';
import { redactor } from './redact.ts';

test('shows headers without credentials', () => {
  const headers = {
    Accept: 'text/event-stream',
    Authorization: 'Bearer hunter22',
    'Proxy-Authorization': 'hunter22',
    Cookie: 'a=hunter22',
    'set-cookie': ['a=hunter22', 'b=hunter22'],
    'X-Api-Key': 'hunter22',
    'X-Tenant': 'hunter22',
    'Mcp-Param-City': 'hunter22',
    'Mcp-Session-Id': '0123456789-hunter22',
    'www-authenticate': 'Bearer resource_metadata="https://a.example/.well-known/x"',
    location: 'https://ada:hunter22@a.example/x?code=hunter22#hunter22',
    age: 7,
    missing: undefined,
  };
  const lines = headerLines(headers, new Set(['x-tenant']));
  expect(redactor()(lines)).toBe(lines); // the redactor that recordings and viewers apply changes nothing more
  expect(lines.split('\n')).toEqual([
    'Accept: text/event-stream',
    'Authorization: [redacted]',
    'Proxy-Authorization: [redacted]',
    'Cookie: [redacted]',
    'set-cookie: [redacted]',
    'set-cookie: [redacted]',
    'X-Api-Key: [redacted]',
    'X-Tenant: [redacted]',
    'Mcp-Param-City: [redacted]',
    'Mcp-Session-Id: 012345…',
    'www-authenticate: Bearer resource_metadata="https://a.example/.well-known/x"',
    'location: https://[redacted]@a.example/x?code=[redacted]',
    'age: 7',
  ]);
});

test('limits the number and length of headers', () => {
  const many = Object.fromEntries(
    Array.from({ length: 2000 }, (_, i) => [`x-${i}-${'n'.repeat(999)}`, 'v'.repeat(9999)]),
  );
  const lines = headerLines({ list: Array.from({ length: 2000 }, () => 'v'), ...many });
  expect(lines.length).toBeLessThan(64 * 1024);
  expect(lines).toMatch(/\(1941 more headers\)$/);
});

test.each([
  ['https://a.example/mcp', 'https://a.example/mcp'],
  ['https://ada@a.example/mcp', 'https://[redacted]@a.example/mcp'],
  ['https://ada:p@ss@a.example/mcp?x', 'https://[redacted]@a.example/mcp?[redacted]'],
  ['/messages?sessionId=hunter22&v=1', '/messages?sessionId=[redacted]&v=[redacted]'],
  ['https://a.example/s/hunter22/mcp', 'https://a.example/s/KEY/mcp'],
])('shows %s as %s', (url, shown) => {
  expect(maskedUrl(url, (text) => text.replace('hunter22', 'KEY'))).toBe(shown);
});

test('masks a short session id completely', () => {
  expect([shortSession('abc'), shortSession('0123456789abcdef')]).toEqual(['[redacted]', '012345…']);
});
