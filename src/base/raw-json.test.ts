import { describe, expect, it } from 'vitest';
import { RawJson, toJson } from './to-json.ts';

describe('RawJson', () => {
  it('is written as it stands, digits and repeated keys and all', () => {
    const text = '{"n": 9007199254740993, "e": 1e400, "n": 12345678901234567890}';
    expect(toJson({ id: 1, params: { arguments: new RawJson(text) } })).toBe(`{"id":1,"params":{"arguments":${text}}}`);
  });

  it('takes one line, so that every framing can carry it, and changes no string', () => {
    expect(toJson([new RawJson('{\r\n  "a": "x\\n$& y"\n}\n')])).toBe('[{   "a": "x\\n$& y" }]');
  });

  it('is not made of text that is not JSON', () => {
    expect(() => new RawJson('{"a":')).toThrow(SyntaxError);
  });

  it('stands in several places of a message, and in no later one', () => {
    const [one, two] = [new RawJson('1.0'), new RawJson('-0')];
    expect(toJson([one, two, one])).toBe('[1.0,-0,1.0]');
    expect(toJson(['plain'])).toBe('["plain"]');
  });
});
