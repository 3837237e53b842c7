import { describe, expect, it } from 'vitest';
import { RawJson, toJson } from './to-json.ts';

describe('RawJson', () => {
  it('is written unchanged, including digits and repeated keys', () => {
    const text = '{"n": 9007199254740993, "e": 1e400, "n": 12345678901234567890}';
    expect(toJson({ id: 1, params: { arguments: new RawJson(text) } })).toBe(`{"id":1,"params":{"arguments":${text}}}`);
  });

  it('is written on one line, so that every framing can carry it, without changes to strings', () => {
    expect(toJson([new RawJson('{\r\n  "a": "x\\n$& y"\n}\n')])).toBe('[{   "a": "x\\n$& y" }]');
  });

  it('cannot be created from invalid JSON', () => {
    expect(() => new RawJson('{"a":')).toThrow(SyntaxError);
  });

  it('may occur several times in a message, and affects no later message', () => {
    const [one, two] = [new RawJson('1.0'), new RawJson('-0')];
    expect(toJson([one, two, one])).toBe('[1.0,-0,1.0]');
    expect(toJson(['plain'])).toBe('["plain"]');
  });
});
