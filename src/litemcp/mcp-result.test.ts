import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallToolResult, ContentBlock } from '../mcp/types.ts';
import type { CallResultResponse } from './call-result.ts';
import { fromMcpResult, toMcpResult } from './mcp-result.ts';

const response = (type: string, data: string, error = false): CallResultResponse => ({
  content: [{ type, data }],
  error,
});

describe('contents as blocks', () => {
  test('a string is text', () => {
    expect(toMcpResult(response('string', 'a\n\n\nb'))).toEqual({ content: [{ type: 'text', text: 'a\n\n\nb' }] });
  });
  test('any other type is text with the type in its metadata', () => {
    expect(toMcpResult(response('poem', 'roses'))).toEqual({
      content: [{ type: 'text', text: 'roses', _meta: { 'litemcp/type': 'poem' } }],
    });
  });
  test.each([
    ['number', '5', 5],
    ['Int', ' 7 ', 7],
    ['bool', 'TRUE', true],
    ['object', '{"a":[1]}', { a: [1] }],
    ['list', '[]', []],
    ['json', 'null', null],
  ])('one %s is also structured content', (type, data, value) => {
    const { content, structuredContent } = toMcpResult(response(type, data));
    expect(content).toMatchObject([{ type: 'text', text: data }]);
    expect(structuredContent).toEqual(value);
  });
  test('content other than one value of a known type has no structuredContent', () => {
    for (const each of [response('number', 'five'), response('string', '5'), response('number', '5', true)]) {
      expect(toMcpResult(each)).not.toHaveProperty('structuredContent');
    }
    const two = { content: [...response('number', '1').content, ...response('number', '2').content], error: false };
    expect(toMcpResult(two)).not.toHaveProperty('structuredContent');
    expect(toMcpResult({ content: [], error: false })).toEqual({ content: [] });
  });
  test('base64 with the type of an image or a sound becomes an image or a sound', () => {
    expect(toMcpResult(response('image/png', 'iVBORw0KGgo='))).toEqual({
      content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }],
    });
    expect(toMcpResult(response('audio/wav', 'UklGRg=='))).toMatchObject({ content: [{ type: 'audio' }] });
  });
  test.each(['<svg/>', '', 'abc', 'a=bc', '=abc', 'ab==c', 'a==='])('%j is not base64 and becomes text', (data) => {
    expect(toMcpResult(response('image/svg+xml', data)).content).toMatchObject([{ type: 'text', text: data }]);
  });
  test('an error is a tool error', () => {
    expect(toMcpResult(response('string', 'no paper', true))).toEqual({
      content: [{ type: 'text', text: 'no paper' }],
      isError: true,
    });
  });
});

describe('blocks as contents', () => {
  const resource = (extra: object): ContentBlock =>
    ({ type: 'resource', resource: { uri: 'file:///x', ...extra } }) as ContentBlock;
  const link: ContentBlock = { type: 'resource_link', uri: 'file:///x', name: 'x' };
  test.each<[ContentBlock, { type: string; data: string }]>([
    [
      { type: 'text', text: '5' },
      { type: 'string', data: '5' },
    ],
    [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'image/png', data: 'AAAA' },
    ],
    [
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'audio/wav', data: 'AAAA' },
    ],
    [resource({ text: '# x', mimeType: 'text/markdown' }), { type: 'text/markdown', data: '# x' }],
    [resource({ text: 'x' }), { type: 'string', data: 'x' }],
    [resource({ blob: 'AAAA' }), { type: 'application/octet-stream', data: 'AAAA' }],
    [link, { type: 'resource_link', data: JSON.stringify(link) }],
  ])('%j', (block, content) => {
    expect(fromMcpResult({ content: [block] })).toEqual({ content: [content], error: false });
  });
  test.each<[CallToolResult, { type: string; data: string }]>([
    [
      { content: [{ type: 'text', text: '{ "a": 1 }' }], structuredContent: { a: 1 } },
      { type: 'object', data: '{ "a": 1 }' },
    ],
    [
      { content: [{ type: 'text', text: 'one a' }], structuredContent: { a: 1 } },
      { type: 'string', data: 'one a' },
    ],
    [
      { content: [], structuredContent: { a: 1 } },
      { type: 'object', data: '{"a":1}' },
    ],
  ])('structured content: %j', (result, content) => {
    expect(fromMcpResult(result)).toEqual({ content: [content], error: false });
  });
  test('a tool error is an error', () => {
    expect(fromMcpResult({ content: [], isError: true })).toEqual({ content: [], error: true });
  });
});

test('any response is equal after both conversions', () => {
  const type = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('string', 'number', 'json', 'image/png', 'AUDIO/x', '', 'text', 'resource_link'),
  );
  const data = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.json(), fc.constantFrom('5', 'true', ''));
  const any = fc.record({ content: fc.array(fc.record({ type, data }), { maxLength: 3 }), error: fc.boolean() });
  fc.assert(
    fc.property(any, (each) => {
      expect(fromMcpResult(JSON.parse(JSON.stringify(toMcpResult(each))))).toEqual(each);
    }),
    { numRuns: 1000 },
  );
});

test('JSON of more than 250,000 values stays text', () => {
  const data = (values: number) => `[${'0,'.repeat(values - 2)}0]`;
  expect(toMcpResult(response('array', data(250_000))).structuredContent).toHaveLength(249_999);
  expect(toMcpResult(response('array', data(250_001)))).toEqual({
    content: [{ type: 'text', text: data(250_001), _meta: { 'litemcp/type': 'array' } }],
  });
});
