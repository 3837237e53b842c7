import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeConfig } from './describe-config.ts';
import { mergeFiles } from './files/load-config.ts';
import { file, marked, read, readRemote, settingsByDefault } from './read-text.contract.ts';
import { maskOf } from './secrets-of-server.ts';

const url = 'https://x.test/mcp';
const env = { TOKEN: 'hunter22', HOST: 'x.test', BREAK: 'abc\n', EMPTY: '' };

test('an entry with an address has all defaults', async () => {
  const { servers, problems } = await read(`{"mcpServers": {"one": {"url": "${url}"}}}`);
  expect(problems).toEqual([]);
  expect(servers).toEqual([
    {
      ...settingsByDefault,
      name: 'one',
      url,
      transport: 'auto',
      headers: {},
      oauth: {},
      ca: undefined,
      protocol: 'mcp',
      enabled: true,
      secrets: [],
      source: { file, line: 1, column: 17 },
    },
  ]);
});

test('an entry can set every key', async () => {
  const entry = {
    type: 'sse',
    url: 'https://${HOST}/mcp',
    headers: { 'X-Key': '${TOKEN}' },
    oauth: { clientId: 'me', clientSecret: '${TOKEN}', scopes: 'a b', callbackPort: 8080, grant: 'client_credentials' },
    ca: 'certs/ca.pem',
    revision: '2025-03-26',
    requestTimeoutMs: 6,
    restart: 'never',
    share: 'client',
    tools: ['a*'],
  };
  const { server, problems } = await readRemote(entry, { env });
  expect(problems).toEqual([]);
  expect(server).toMatchObject({
    url,
    transport: 'sse',
    headers: { 'X-Key': 'hunter22' },
    oauth: {
      clientId: 'me',
      clientSecret: 'hunter22',
      scopes: ['a', 'b'],
      callbackPort: 8080,
      grant: 'client_credentials',
    },
    ca: '/project/certs/ca.pem',
    revision: '2025-03-26',
    requestTimeoutMs: 6,
    restart: { policy: 'never' },
    share: { by: 'client' },
    tools: { allow: ['a*'] },
  });
});

const bearer = { headers: { Authorization: 'Bearer hunter22' } };
test.each<[host: string, entry: object, read: object]>([
  [
    'Claude Code',
    { type: 'http', url, headers: { Authorization: 'Bearer ${TOKEN}' } },
    { transport: 'http', ...bearer },
  ],
  ['VS Code', { type: 'sse', url, headers: { Authorization: 'Bearer ${env:TOKEN}' } }, { transport: 'sse', ...bearer }],
  ['Windsurf', { serverUrl: url }, { transport: 'auto' }],
  ['Gemini CLI', { httpUrl: url, oauth: { enabled: false } }, { transport: 'http', oauth: false }],
  [
    'Gemini CLI before',
    { url, oauth: { enabled: true, scopes: ['a'] } },
    { transport: 'auto', oauth: { scopes: ['a'] } },
  ],
  ['Zed', { url, headers: { Authorization: 'Bearer hunter22' } }, bearer],
  ['Cline', { type: 'streamableHttp', url, alwaysAllow: [] }, { transport: 'http' }],
  ['Cline before', { transportType: 'sse', url }, { transport: 'sse' }],
  ['opencode', { type: 'remote', url, oauth: false }, { transport: 'auto', oauth: false }],
])('reads the format of %s', async (_, entry, expected) => {
  const { server, problems } = await readRemote(entry, { env });
  expect(problems).toEqual([]);
  expect(server).toMatchObject({ url, ...expected });
});

/** `§` marks the expected position of the problem. */
test.each<[what: string, entry: string, message: RegExp, suggestion: RegExp]>([
  ['no URL', '{"url": §"not an address"}', /The address is not a URL/, /https:\/\/host\/path/],
  ['no scheme', '{"url": §"localhost:3000/mcp"}', /The address is not a URL/, /http:\/\//],
  ['an impossible host', '{"url": §"http://a b/"}', /The address is not a URL/, /https:/],
  ['a server of a fleet', '{"url": §"nats://x.test/y"}', /A server of a fleet/, /--join/],
  ['another scheme', '{"url": §"ftp://x.test/"}', /https:\/\/ or http:\/\/, not with ftp:\/\//, /https:/],
  ['a WebSocket', '{"url": §"wss://x.test/"}', /WebSocket is not supported/, /https:/],
  ['the type of a WebSocket', '{"type": §"ws", "url": "ws://x.test/"}', /WebSocket is not supported/, /"http"/],
  ['an empty address', '{"url": §" "}', /"url" is empty/, /./],
  ['no address', '§{"type": "http"}', /There is no "url"/, /"url"/],
  ['an address of another type', '{"url": §["https://x.test"]}', /"url" must be a string/, /./],
  ['an address and a command', '{"command": "x", §"url": "https://x.test"}', /both "command" and "url"/, /two entries/],
  ['an address of type stdio', '{"type": §"stdio", "url": "https://x.test"}', /cannot be of type "stdio"/, /"http"/],
  [
    'an unknown type',
    '{"type": §"htpp", "url": "https://x.test"}',
    /"type" must be "stdio", "http" or "sse"/,
    /"http"\?/,
  ],
  ['LiteMCP', '{"url": "https://x.test", "protocol": §"litemcp"}', /LiteMCP has no transport/, /"protocol"/],
  [
    'a header that is a list',
    '{"url": "https://x.test", "headers": §["A: b"]}',
    /"headers" must be an object/,
    /"headers"/,
  ],
  ['a non-string header', '{"url": "https://x.test", "headers": {"A": §1}}', /"A" must be a string/, /./],
  [
    'an invalid name of a header',
    '{"url": "https://x.test", "headers": {§"A b": "c"}}',
    /"A b" is not a valid header name/,
    /./,
  ],
  [
    'a line break',
    '{"url": "https://x.test", "headers": {"A": §"${BREAK}"}}',
    /"A" contains a line break/,
    /Remove it/,
  ],
  ['a smiley', '{"url": "https://x.test", "headers": {"A": §"\\u263a"}}', /"A" contains a character/, /ASCII/],
  [
    'an unset variable in a header',
    '{"url": "https://x.test", "headers": {"A": §"${NONE}"}}',
    /NONE is not set/,
    /Set it/,
  ],
  ['an unset variable in an address', '{"url": §"https://${NONE}/"}', /Variable NONE is not set/, /Set it/],
  ['an invalid client', '{"url": "https://x.test", "oauth": §"me"}', /"oauth" must be an object/, /"clientId"/],
  [
    'no secret',
    '{"url": "https://x.test", "oauth": {"grant": §"client_credentials"}}',
    /needs a client/,
    /"clientSecret"/,
  ],
  ['no port', '{"url": "https://x.test", "oauth": {"callbackPort": §70000}}', /from 1 to 65535/, /./],
])('%s disables only its entry and reports the position', async (_, entry, message, suggestion) => {
  const { text, at } = marked(`{"mcpServers": {"a": ${entry},\n"good": {"url": "${url}"}}}`);
  const { servers, rejected, problems } = await read(text, { env });
  expect(servers.map(({ name }) => name)).toEqual(['good']);
  expect(rejected).toMatchObject([{ name: 'a' }]);
  const [error, ...more] = problems.filter(({ severity }) => severity === 'error');
  expect(more).toEqual([]);
  expect(error).toMatchObject({ ...at, server: 'a', message: expect.stringMatching(message) });
  expect(error!.suggestion ?? 'none').toMatch(suggestion);
});

test.each<[what: string, entry: string, message: RegExp]>([
  ['arguments', '{"url": "https://x.test", §"args": []}', /"args" has no effect for a remote server/],
  ['variables', '{"url": "https://x.test", §"env": {"A": "b"}}', /"env" has no effect/],
  ['a folder', '{"url": "https://x.test", §"cwd": "/"}', /"cwd" has no effect/],
  ['waits', '{"url": "https://x.test", §"stop": {}}', /"stop" has no effect/],
  ['a framing', '{"url": "https://x.test", §"framing": "newline"}', /"framing" has no effect/],
  ['daemons', '{"url": "https://x.test", §"keepDaemons": true}', /"keepDaemons" has no effect/],
  ['headers of a command', '{"command": "x", §"headers": {}}', /"headers" has no effect for a server that is started/],
  ['two addresses', '{"httpUrl": "https://x.test", §"url": "https://y.test"}', /"httpUrl" is used instead of "url"/],
  ['an unknown key', '{"url": "https://x.test", §"header": {}}', /Unknown key "header"/],
  ['an unknown transport', '{"url": "https://x.test", "transport": §"tcp"}', /"transport" is not a known transport/],
  [
    'a header of the protocol',
    '{"url": "https://x.test", "headers": {§"Content-Type": "a/b"}}',
    /"Content-Type" is set by/,
  ],
  ['a header in two cases', '{"url": "https://x.test", "headers": {"A": "b", §"a": "c"}}', /"a" is set twice/],
  ['a readable token', '{"url": §"http://x.test", "headers": {"Authorization": "Bearer abc"}}', /sent unencrypted/],
  ['a readable variable', '{"url": §"http://x.test/${TOKEN}"}', /sent unencrypted/],
  ['a readable password', '{"url": §"http://u:p@x.test/"}', /sent unencrypted/],
])('%s: causes only a warning', async (_, entry, message) => {
  const { text, at } = marked(`{"mcpServers": {"a": ${entry}}}`);
  const { servers, problems } = await read(text, { env });
  expect(servers).toHaveLength(1);
  expect(problems).toMatchObject([{ ...at, severity: 'warning', message: expect.stringMatching(message) }]);
});

test.each(['http://localhost:1/', 'http://127.0.0.1:1/', 'http://[::1]:1/', 'http://127.1/', 'https://x.test'])(
  'a token may be sent to %s',
  async (address) => {
    expect((await readRemote({ url: address, headers: { Authorization: 'Bearer abc' } })).problems).toEqual([]);
  },
);

test('credentials in an address become a header, unless one is configured', async () => {
  const address = 'https://ada:pass%20word@x.test/mcp?a=b';
  const { server } = await readRemote({ url: address });
  const basic = Buffer.from('ada:pass word').toString('base64');
  expect(server).toMatchObject({ url: 'https://x.test/mcp?a=b', headers: { Authorization: `Basic ${basic}` } });
  expect(server!.secrets).toEqual([basic, 'pass word']);
  const withHeader = await readRemote({ url: address, headers: { authorization: 'mine' } });
  expect(withHeader.server).toMatchObject({ url: 'https://x.test/mcp?a=b', headers: { authorization: 'mine' } });
  expect((await readRemote({ url: 'https://%zz:%@x.test/' })).server!.url).toBe('https://x.test/');
});

test('a disabled entry is not expanded, and lacks no variables', async () => {
  const entry = { url: '${NONE}', headers: { A: '${input:b}' }, ca: '${NONE}', disabled: true };
  const { server, problems } = await readRemote(entry, { askInput: () => expect.fail('nothing is asked') });
  expect(problems).toEqual([]);
  expect(server).toMatchObject({ url: '${NONE}', headers: { A: '${input:b}' } });
});

test('requests the inputs of addresses, headers and clients', async () => {
  const asked: string[] = [];
  const text = JSON.stringify({
    servers: {
      a: { url: 'https://${input:host}', headers: { A: '${input:key}' }, oauth: { clientId: '${input:id}' } },
    },
    inputs: ['host', 'key', 'id'].map((id) => ({ id })),
  });
  const { servers } = await read(text, {
    askInput: ({ id }) => {
      asked.push(id);
      return id;
    },
  });
  expect(asked.sort()).toEqual(['host', 'id', 'key']);
  expect(servers).toMatchObject([{ url: 'https://host', headers: { A: 'key' }, oauth: { clientId: 'id' } }]);
});

test.each([
  ['https://x.test/mcp?api_key=hunter22&mode=fast', 'https://x.test/mcp?api_key=[redacted]&mode=fast'],
  ['https://x.test/mcp?exaApiKey=hunter22', 'https://x.test/mcp?exaApiKey=[redacted]'],
  ['https://x.test/s/NWU4ZTQ0YjAtMzE5Zi00/mcp', 'https://x.test/s/[redacted]/mcp'],
  ['https://x.test/${TOKEN}/mcp', 'https://x.test/[redacted]/mcp'],
  ['https://ada:hunter22@x.test/mcp', 'https://x.test/mcp'],
  ['https://x.test/a-long-name-of-a-server-2025/mcp', 'https://x.test/a-long-name-of-a-server-2025/mcp'],
])('shows %s as %s', async (address, shown) => {
  const found = await read(JSON.stringify({ mcpServers: { a: { url: address } } }), { env });
  expect(describeConfig(mergeFiles([found], [])).servers).toMatchObject([{ url: shown }]);
});

test('descriptions, problems and masked texts never contain a header value, password or client secret', async () => {
  const secret = fc.stringMatching(/^[q-z0-9]{3}[q-z0-9 ]{0,8}[q-z]$/).map((text) => `§${text}§`);
  await fc.assert(
    fc.asyncProperty(secret, fc.boolean(), async (value, disabled) => {
      const entry = {
        url: `http://u:${encodeURIComponent(value)}@x.test/?token=${encodeURIComponent(value)}`,
        headers: { 'X-Any': value, Authorization: `Bearer ${value}` },
        oauth: { clientSecret: value },
        disabled,
      };
      const bad = { bad1: { ...entry, url: value }, bad2: { ...entry, headers: { A: `${value}\n` } } };
      const found = await read(JSON.stringify({ mcpServers: { a: entry, ...bad } }));
      const shown = JSON.stringify(describeConfig(mergeFiles([found], [])));
      expect(shown).not.toContain('§');
      expect(shown).not.toContain('%C2%A7');
      const { servers } = found;
      expect(maskOf(servers[0]!)(`${value} Bearer ${value}`)).not.toContain('§');
    }),
    { numRuns: 50 },
  );
});
