import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskValues } from './mask-values.ts';
import { redactor } from './redact.ts';
import { isSecretName } from './secret-names.ts';

const redact = redactor();

describe('redaction of JSON', () => {
  it.each([
    ['{"token":"abc"}', '{"token":"[redacted]"}'],
    ['{ "a" : 1.0, "Password" :  12345678901234567890 }', '{ "a" : 1.0, "Password" :  "[redacted]" }'],
    ['{"secret":{"a":[1,"}"]},"b":2}', '{"secret":"[redacted]","b":2}'],
    ['{"cookie":["a","b"]}', '{"cookie":"[redacted]"}'],
    ['{"token":null,"secret":true,"password":""}', '{"token":null,"secret":true,"password":""}'],
    ['{"to\\u006ben":"abc"}', '{"to\\u006ben":"[redacted]"}'],
    ['{"a":{"b":[{"apiKey":"x"}]}}', '{"a":{"b":[{"apiKey":"[redacted]"}]}}'],
    ['[1,{"token":5}]', '[1,{"token":"[redacted]"}]'],
    ['{"password":"cut of', '{"password":"[redacted]"'],
    ['{"params":{"_meta":{"progressToken":7}}}', '{"params":{"_meta":{"progressToken":7}}}'],
  ])('%s becomes %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it('keeps the schema of an argument that will hold a secret', () => {
    const schema = '{"inputSchema":{"type":"object","properties":{"token":{"type":"string"}},"required":["token"]}}';
    expect(redact(schema)).toBe(schema);
  });

  it('redacts strings with JSON, headers, addresses and keys', () => {
    const inner = JSON.stringify({ user: 'x', api_key: 'sk-1 2', nested: { password: 'p,q' } });
    const result = {
      a: inner,
      b: 'curl -H "Authorization: Bearer abc.def" postgres://me:hunter2@host/db?x=1',
      c: '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
      d: 'see https://example.org/page',
    };
    const redacted = JSON.parse(redact(JSON.stringify(result)));
    expect(JSON.parse(redacted.a)).toEqual({ user: 'x', api_key: '[redacted]', nested: { password: '[redacted]' } });
    expect(redacted.b).toBe('curl -H "Authorization: [redacted]" postgres://me:[redacted]@host/db?x=1');
    expect(redacted.c).toBe('-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----');
    expect(redacted.d).toBe(result.d);
  });

  it.each([
    ['sent eyJhbGciOiJI.eyJzdWIiOiIx.abc', 'sent [redacted]'],
    ['x-session-eyJhbGci-iJI.eyJzdWIiOiIx.abc', 'x-session-[redacted]'],
    ['eyJ-eyJ-eyJhbGciOiJI.eyJzdWIiOiIx', '[redacted]'],
    ['token=\\\\\\"a\\"b\\\\\\" c', 'token=\\\\\\"[redacted]\\\\\\" c'],
    ["token='a' b", "token='[redacted]' b"],
    ['token="cut of', 'token="[redacted]"'],
    ['token="a\nb"', 'token="a\nb"'],
    ['token=""', 'token="[redacted]"'],
  ])('finds the limits of a token or a quoted value: %s becomes %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    ['Authorization: Bearer ${TOKEN}', 'Authorization: Bearer ${TOKEN}'],
    ['KEY = os.environ["ACME_API_KEY"]', 'KEY = os.environ["ACME_API_KEY"]'],
    ['const token = process.env.TOKEN;', 'const token = process.env.TOKEN;'],
    ['token = environ-x', 'token = [redacted]'],
    ['curl -H "token: ${env:A_B}", x', 'curl -H "token: ${env:A_B}", x'],
    ['token=$5ecret', 'token=[redacted]'],
  ])('keeps the name of a variable: %s becomes %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it('hides values of env, in strings, keys and numbers', () => {
    const masked = redactor({ mask: maskValues({ KEY: 'hunter2', PIN: '123456', QUOTED: 'say "x"' }) });
    expect(masked('{"a":"is hunter2!","hunter2":1,"n":123456,"q":"say \\"x\\""}')).toBe(
      '{"a":"is [env KEY]!","[env KEY]":1,"n":"[env PIN]","q":"[env QUOTED]"}',
    );
  });

  it('is valid JSON if a value of env begins inside an escape', () => {
    const masked = redactor({ mask: maskValues({ KEY: 'nabc' }) });
    expect(JSON.parse(masked('{"a":"x\\nabc"}'))).toEqual({ a: '[redacted]' });
  });

  it('follows configured paths and keys', () => {
    const own = redactor({ paths: ['params.arguments.card', 'result.content[*].text', '**.ssn'], keys: ['Pin'] });
    expect(own('{"params":{"arguments":{"card":{"no":1},"other":2}}}')).toBe(
      '{"params":{"arguments":{"card":"[redacted]","other":2}}}',
    );
    expect(own('{"result":{"content":[{"text":"a","type":"text"},{"text":"b"}]}}')).toBe(
      '{"result":{"content":[{"text":"[redacted]","type":"text"},{"text":"[redacted]"}]}}',
    );
    expect(own('[{"ssn":1},{"a":{"b":{"ssn":"x"}}}]')).toBe('[{"ssn":"[redacted]"},{"a":{"b":{"ssn":"[redacted]"}}}]');
    expect(own('{"pin":"1234","pins":1}')).toBe('{"pin":"[redacted]","pins":1}');
  });

  it('reveals no secret, keeps JSON valid, and changes nothing else', () => {
    const secret = 'S3cr3tValue';
    const names = fc.constantFrom('token', 'api_key', 'Authorization', 'password', 'text', 'a', 'properties');
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(secret, `x ${secret}"\\\n y`, 'plain'),
        fc.double({ noNaN: true }),
        fc.constantFrom(null, true, 0),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.array(fc.tuple(names, tie('any')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
      ),
    })).any;
    const hide = redactor({ mask: maskValues({ KEY: secret }) });
    fc.assert(
      fc.property(fc.record({ v: value, w: value }), fc.constantFrom(undefined, 2), (document, indent) => {
        const original = JSON.stringify(document, null, indent);
        const redacted = hide(original);
        expect(redacted).not.toContain(secret);
        expect(expected(JSON.parse(redacted))).toEqual(expected(JSON.parse(original)));
      }),
      { numRuns: 500 },
    );
    // Applies the rules to values instead of text.
    function expected(node: unknown, inSchema = false): unknown {
      if (typeof node === 'string') return /redacted|\[env KEY\]|S3cr3tValue|:|=|bearer|basic/i.test(node) ? '?' : node;
      if (Array.isArray(node)) return node.map((each) => expected(each));
      if (typeof node !== 'object' || node === null) return node;
      return Object.fromEntries(
        Object.entries(node).map(([key, each]) => {
          const isContainer = typeof each === 'object' && each !== null;
          const hidden = isSecretName(key) && each !== null && each !== true && each !== '';
          if (hidden && !(isContainer && inSchema)) return [key, '?'];
          return [key, expected(each, key === 'properties')];
        }),
      );
    }
  });

  it('does not throw for text that is broken or cut anywhere', () => {
    const text = '{"a":[{"token":"x\\"y"},[],{}],"b":{"secret":{"c":"d"}},"e":"Bearer abcdefgh"}';
    for (let at = 0; at <= text.length; at++) {
      expect(redact(text.slice(0, at))).not.toMatch(/x\\"y|abcdefgh/);
      expect(typeof redact(text.slice(at))).toBe('string');
    }
  });

  it('terminates for any text of hundreds of kilobytes', () => {
    const nasty = [
      `{"a":"${'token.'.repeat(50_000)}"}`,
      `{"a":"${'token: \\"x'.repeat(30_000)}"}`,
      `${'['.repeat(150_000)}"token"`,
      `token="${'a'.repeat(300_000)}`,
      `{"token":${'{"a":'.repeat(60_000)}`,
      'a:b@://'.repeat(40_000),
      '-----BEGIN PRIVATE KEY-----'.repeat(10_000),
    ];
    for (const text of nasty) expect(typeof redact(text)).toBe('string'); // quadratic time would make the test time out
  });
});

describe('redaction of other text', () => {
  it.each([
    ['token=abc next', 'token=[redacted] next'],
    ["{ password: 'a b', user: 'me' }", "{ password: '[redacted]', user: 'me' }"],
    ['Authorization: Basic dXNlcjpwYXNz\n', 'Authorization: [redacted]\n'],
    ['GET /?api_key=abc&x=1', 'GET /?api_key=[redacted]&x=1'],
    ["server --api-key sk-123 --verbose --token='a b'", "server --api-key [redacted] --verbose --token='[redacted]'"],
    ['got a Bearer abcdefghij', 'got a Bearer [redacted]'],
    ['loading tokenizer: fast', 'loading tokenizer: fast'],
    ['{"a":1} token: abc', '{"a":1} token: [redacted]'],
    ['[12:30] token: abc', '[12:30] token: [redacted]'],
    ['nothing to hide', 'nothing to hide'],
    ['PWD=/home/me/project OLDPWD=/home/me', 'PWD=/home/me/project OLDPWD=/home/me'],
    ['MYSQL_PWD=abc', 'MYSQL_PWD=[redacted]'],
    ['level: token=abc', 'level: token=[redacted]'],
    ['uses ghp_abcdefghijkl1234 here', 'uses [redacted] here'],
    ['model sk-proj-abcdefgh1234', 'model [redacted]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '[redacted]'],
    ['progressToken: 7', 'progressToken: 7'],
    ['PRIMARY_KEY=id KEY=abc', 'PRIMARY_KEY=id KEY=[redacted]'],
  ])('%s becomes %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});
