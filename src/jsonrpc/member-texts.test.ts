import fc from 'fast-check';
import { expect, it } from 'vitest';
import { UsageError } from '../base/errors.ts';
import { keepTexts, keptText } from './member-texts.ts';
import type { JsonRpcResult } from './message.ts';
import { messageText, OwnRequest, OwnResult, SharedMembers, SharingRequest, SharingResult } from './message-text.ts';

const numRuns = process.env.FC_PROFILE === 'deep' ? 20_000 : 100;
const LONG = 'x'.repeat(5000);

/** JSON as other programs may write it: what JSON.parse and JSON.stringify would not keep is in it. */
const space = fc.constantFrom('', '', ' ', '\t', '  \t ');
const key = fc.constantFrom('"a"', '"a"', '"\\u0061"', '"__proto__"', '"\\""', '"{"', '"params"', '"result"', '""');
const scalar = fc.constantFrom(
  ...['0', '1.0', '1E+2', '9007199254740993', '12345678901234567890.10', 'true', 'false', 'null'],
  ...['""', '"\\ud800"', '"\\udc00\\ud800"', '"\\/\\u0041\\\\"', '"\\\\\\""', '"}],{"', '"é\u2028😀"', `"${LONG}"`],
  `"${'\\"'.repeat(3000)}"`,
);
const { json } = fc.letrec<{ json: string; array: string; object: string }>((tie) => ({
  json: fc.oneof({ depthSize: 'small' }, scalar, tie('array'), tie('object')),
  array: fc
    .tuple(space, fc.array(tie('json'), { maxLength: 4 }))
    .map(([gap, items]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
  object: objectOf(tie('json')),
}));

function objectOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(space, fc.array(fc.tuple(key, value), { maxLength: 4 }))
    .map(([gap, items]) => `{${gap}${items.map(([k, v]) => `${k}${gap}:${gap}${v}`).join(`${gap},${gap}`)}${gap}}`);
}

function read(text: string, name: 'params' | 'result' = 'result'): Record<string, unknown> {
  const message = JSON.parse(text);
  keepTexts(text, name, message[name]);
  return message[name];
}

it('a result that is passed on has the value that it came with, and each long member the same text', () => {
  fc.assert(
    fc.property(objectOf(json), objectOf(json), space, (before, result, gap) => {
      const text = `${gap}{${gap}"result":${before},"id"${gap}:1,"resul\\u0074":${gap}${result}${gap},"jsonrpc":"2.0"}${gap}`;
      const value = read(text);
      const passed = messageText(new OwnResult(7, value)) as string;
      expect(passed.startsWith('{"jsonrpc":"2.0","id":7,"result":{')).toBe(true);
      expect(JSON.parse(passed)).toEqual(
        JSON.parse(messageText({ jsonrpc: '2.0', id: 7, result: JSON.parse(result) }) as string),
      );
      for (const member of Object.values(value)) {
        const kept = keptText(member);
        if (kept === undefined) continue;
        expect(result).toContain(kept);
        expect(passed).toContain(kept);
        expect(JSON.parse(kept)).toEqual(member);
      }
    }),
    { numRuns },
  );
});

const exact = `{"n":9007199254740993,"n":-0,"n":1e400, "s":"\\ud800\\/","long":"${LONG}"}`;
const message = (member: string) =>
  `{"jsonrpc":"2.0","id":1,"result":{"isError":false,"content":${member},"_meta":{"a":1}}}`;

it('numbers, duplicate keys, spaces and escapes of a long member stay as they came, whatever is added beside it', () => {
  const result = read(message(exact));
  expect(messageText(new OwnResult('a', result))).toBe(
    `{"jsonrpc":"2.0","id":"a","result":{"isError":false,"content":${exact},"_meta":{"a":1}}}`,
  );
  const { _meta, isError, ...own } = result;
  const shared = new SharedMembers({ _meta: { b: 2 } });
  const shares = new SharingResult(own, shared) as unknown as Record<string, unknown>;
  expect(messageText(new OwnResult(2, shares))).toBe(
    `{"jsonrpc":"2.0","id":2,"result":{"content":${exact},"_meta":{"b":2}}}`,
  );
  const params = { name: 'x', arguments: result.content, left: undefined };
  expect(messageText(new OwnRequest(3, 'tools/call', params))).toBe(
    `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x","arguments":${exact}}}`,
  );
  expect(messageText(new SharingRequest(4, 'tools/call', params, shared))).toBe(
    `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x","arguments":${exact},"_meta":{"b":2}}}`,
  );
});

it('a member that was replaced, and one with line breaks between its values, are serialized', () => {
  const { content } = read(message(exact));
  const replaced = { content: { ...(content as object), n: 2 } };
  expect(messageText(new OwnResult(1, replaced))).toContain('"content":{"n":2,"s":"\\ud800/"');
  for (const lineBreak of ['\n', '\r', '\r\n']) {
    const result = read(message(`{"n":1,${lineBreak}"long":"${LONG}"}`));
    expect(messageText(new OwnResult(1, result))).toBe(
      `{"jsonrpc":"2.0","id":1,"result":{"isError":false,"content":{"n":1,"long":"${LONG}"},"_meta":{"a":1}}}`,
    );
  }
});

it('short members, and those of short messages, keep no text', () => {
  const { _meta } = read(message(exact));
  expect(keptText(_meta)).toBeUndefined();
  expect(keptText(read(message('{"n":1}')).content)).toBeUndefined();
});

it('the search stops in a text of many values', () => {
  const many = read(message(JSON.stringify(Array.from({ length: 10_000 }, (_, i) => i))));
  expect(keptText(many.content)).toBeUndefined();
  const lines = read(
    message(JSON.stringify(Array.from({ length: 1_000 }, () => 'a line of a log, as long as they are'))),
  );
  expect(keptText(lines.content)).toBeDefined();
});

it('a member that is nested too deeply is refused, as it would be without its text', () => {
  const deep = `${'['.repeat(1500)}"${'x'.repeat(100_000)}"${']'.repeat(1500)}`;
  const result = read(message(deep));
  expect(keptText(result.content)).toBeDefined();
  expect(messageText(new OwnResult(1, result))).toBeInstanceOf(UsageError);
});

it('results that are no objects are written as they are', () => {
  for (const result of [null, [1], 'text', 0]) {
    const answer = new OwnResult(1, result as never) as JsonRpcResult;
    expect(JSON.parse(messageText(answer) as string).result).toEqual(result);
  }
});
