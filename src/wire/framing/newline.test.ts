import { describe, expect, it } from 'vitest';
import { bytesOf, decodeAll, everySplit, framesOf } from './events.contract.ts';
import { framingContract } from './framing.contract.ts';
import { naiveNewline } from './naive.contract.ts';
import { newline } from './newline.ts';

framingContract('newline', newline(), {
  naive: naiveNewline,
  pieces: ['\n', '\r', '\r\n', '\n\n\n', ' ', '\t \r', '\u00ef\u00bb\u00bf', '\u00ef\u00bb', '{"id":1}', '{}\r\n'],
  skip: {
    'a payload may contain a newline': 'the delimiter is one',
    'a payload may contain three newlines': 'the delimiter is one',
    'a payload may be any bytes': 'a newline ends it',
    'a payload may be empty': 'a blank line is passed over',
  },
});

const decode = (text: string, maxFrameBytes?: number) =>
  decodeAll(newline().decoder({ maxFrameBytes }), [bytesOf(text)]);

describe('newline', () => {
  it('returns one frame per line, wherever the chunks are cut', () => {
    const stream = bytesOf('{"text":"Zeile 1\\nZeile 2 é 漢 😀"}\n{"id":2}\r\n');
    for (const chunks of everySplit(stream)) {
      expect(framesOf(newline().decoder(), chunks)).toEqual(['{"text":"Zeile 1\\nZeile 2 é 漢 😀"}', '{"id":2}']);
    }
  });

  it('skips blank lines', () => {
    const stream = bytesOf('\n\r\n{"id":1}\n\n\n \t\r\n\r\r\n{"id":2}\r\n\n   \n');
    for (const chunks of everySplit(stream)) {
      expect(framesOf(newline().decoder(), chunks)).toEqual(['{"id":1}', '{"id":2}']);
    }
  });

  it('strips only one carriage return', () => {
    expect(decode('a\r\r\nb\rc\n')).toEqual([
      { frame: 'a\r', offset: 0 },
      { frame: 'b\rc', offset: 4 },
    ]);
  });

  it('skips an initial byte order mark, however it is cut', () => {
    for (const chunks of everySplit(bytesOf('\ufeff{"id":1}\n{"id":2}\n'))) {
      expect(decodeAll(newline().decoder(), chunks)).toEqual([
        { frame: '{"id":1}', offset: 3 },
        { frame: '{"id":2}', offset: 12 },
      ]);
    }
  });

  it('keeps a byte order mark at any other position', () => {
    expect(framesOf(newline().decoder(), [bytesOf('1\n\ufeff2\n\ufeff\ufeff3\n')])).toEqual([
      '1',
      '\ufeff2',
      '\ufeff\ufeff3',
    ]);
    expect(framesOf(newline().decoder(), [bytesOf('\ufeff\ufeff1\n')])).toEqual(['\ufeff1']);
  });

  it('keeps bytes that only begin like a byte order mark', () => {
    for (const chunks of everySplit(Uint8Array.of(0xef, 0xbb, 0x41, 0x0a))) {
      expect(decodeAll(newline().decoder(), chunks)).toEqual([{ frame: '\u00ef\u00bbA', offset: 0 }]);
    }
    for (const chunks of everySplit(Uint8Array.of(0xef, 0xbb))) {
      expect(decodeAll(newline().decoder(), chunks)).toEqual([
        { fault: 'FRAME_TRUNCATED', offset: 0, length: 2, prefix: '\u00ef\u00bb' },
      ]);
    }
  });

  it('reports a last line without its newline, and returns no frame', () => {
    expect(decode('{"id":1}\n{"id":2}')).toEqual([
      { frame: '{"id":1}', offset: 0 },
      { fault: 'FRAME_TRUNCATED', offset: 9, length: 8, prefix: '{"id":2}' },
    ]);
    expect(decode('{"id":1}\n  \r')).toEqual([{ frame: '{"id":1}', offset: 0 }]);
  });

  it('accepts a line of exactly the limit, with LF or CRLF, and fails only a longer one', () => {
    for (const end of ['\n', '\r\n']) {
      for (const chunks of everySplit(bytesOf(`1234${end}12345${end}123${end}`))) {
        expect(decodeAll(newline().decoder({ maxFrameBytes: 4 }), chunks)).toEqual([
          { frame: '1234', offset: 0 },
          { fault: 'FRAME_TOO_LONG', offset: 4 + end.length, length: 5, prefix: '12345' },
          { frame: '123', offset: 9 + 2 * end.length },
        ]);
      }
    }
  });

  it('reports a line that is too long at the end of the stream too', () => {
    for (const chunks of everySplit(bytesOf('12345678'))) {
      expect(decodeAll(newline().decoder({ maxFrameBytes: 4 }), chunks)).toEqual([
        { fault: 'FRAME_TOO_LONG', offset: 0, length: 8, prefix: '12345678' },
      ]);
    }
  });

  it('writes a line', () => {
    expect(newline().encodeJson?.('{"id":1}')).toBe('{"id":1}\n');
    expect(newline().encode(bytesOf('{"id":1}'))).toEqual(new Uint8Array(bytesOf('{"id":1}\n')));
  });

  it.each(['a\nb', '\n', 'a\r', '', ' \t', '\ufeff1'])(
    'refuses to write %j, which would not be read back',
    (payload) => {
      expect(() => newline().encode(bytesOf(payload))).toThrow(
        expect.objectContaining({ name: 'UsageError', code: 'PAYLOAD_HAS_DELIMITER' }),
      );
    },
  );
});
