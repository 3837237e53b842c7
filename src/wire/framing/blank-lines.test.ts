import { describe, expect, it } from 'vitest';
import { blankLines } from './blank-lines.ts';
import { bytesOf, decodeAll, everySplit, framesOf } from './events.contract.ts';
import { framingContract } from './framing.contract.ts';
import { naiveBlankLines } from './naive.contract.ts';

framingContract('blank-lines', blankLines(), {
  naive: naiveBlankLines,
  pieces: [
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\n\n\n',
    '\r\n\r\n\r\n',
    '\r\n\n\r',
    ' ',
    '\u00ef\u00bb\u00bf',
    '\u00ef',
    '{\n  "id": 1\n}',
  ],
  skip: {
    'a payload may contain three newlines': 'they are the delimiter',
    'a payload may be empty': 'newlines before a message are passed over',
  },
});

describe('blank-lines', () => {
  it('reads the example of LiteMCP, pretty-printed, in LF and in CRLF', () => {
    const request = '{\n    "version": [1, 0, 0],\n    "id": 1,\n    "type": "get",\n    "data": {}\n}';
    for (const newline of ['\n', '\r\n']) {
      const message = request.replaceAll('\n', newline);
      for (const chunks of everySplit(bytesOf(`${message}\n\n\n${message}\n\n\n`.replaceAll(/\r?\n/g, newline)))) {
        expect(framesOf(blankLines().decoder(), chunks)).toEqual([message, message]);
      }
    }
  });

  it('keeps one and two newlines in the message', () => {
    for (const chunks of everySplit(bytesOf('a\nb\n\nc\r\n\r\nd\r\n\r\n\ne\n \n\n\n'))) {
      expect(framesOf(blankLines().decoder(), chunks)).toEqual(['a\nb\n\nc\r\n\r\nd', 'e\n ']);
    }
  });

  it('skips newlines before a message, and an initial byte order mark', () => {
    for (const chunks of everySplit(bytesOf('\ufeff\r\n\n{"id":1}\n\n\n\n\r\r\n{"id":2}\r\n\n\r\n'))) {
      expect(decodeAll(blankLines().decoder(), chunks)).toEqual([
        { frame: '{"id":1}', offset: 6 },
        { frame: '{"id":2}', offset: 21 },
      ]);
    }
  });

  it('accepts only one carriage return between newlines', () => {
    for (const chunks of everySplit(bytesOf('a\n\r\r\n\n\nb\r\r\n\n\n'))) {
      expect(framesOf(blankLines().decoder(), chunks)).toEqual(['a\n\r', 'b\r']);
    }
  });

  it('reports the last message if its newlines are missing, without partial newlines', () => {
    for (const tail of ['', '\n', '\r', '\n\n', '\r\n\r\n', '\r\n\r\n\r', '\n\r']) {
      for (const chunks of everySplit(bytesOf(`{"id":1}\n\n\n{"id":2}${tail}`))) {
        expect(decodeAll(blankLines().decoder(), chunks)).toEqual([
          { frame: '{"id":1}', offset: 0 },
          { fault: 'FRAME_TRUNCATED', offset: 11, length: 8, prefix: '{"id":2}' },
        ]);
      }
    }
    expect(decodeAll(blankLines().decoder(), [bytesOf('\n\r\n\n\n\r')])).toEqual([]);
  });

  it('counts the length of a message without its delimiter, however that is written', () => {
    for (const end of ['\n\n\n', '\r\n\r\n\r\n', '\n\r\n\n']) {
      for (const chunks of everySplit(bytesOf(`1234${end}12345${end}1\n\n4${end}`))) {
        expect(decodeAll(blankLines().decoder({ maxFrameBytes: 4 }), chunks)).toEqual([
          { frame: '1234', offset: 0 },
          { fault: 'FRAME_TOO_LONG', offset: 4 + end.length, length: 5, prefix: '12345' },
          { frame: '1\n\n4', offset: 9 + 2 * end.length },
        ]);
      }
    }
  });

  it('writes three newlines after a message', () => {
    expect(blankLines().encodeJson?.('{}')).toBe('{}\n\n\n');
    expect(Buffer.from(blankLines().encode(bytesOf('{\n\n}'))).toString()).toBe('{\n\n}\n\n\n');
  });

  it.each(['', 'a\n\n\nb', 'a\r\n\n\r\nb', '\na', '\ra', 'a\n', 'a\r', '\ufeff1'])(
    'refuses to write %j, which would not be read back',
    (payload) => {
      expect(() => blankLines().encode(bytesOf(payload))).toThrow(
        expect.objectContaining({ name: 'UsageError', code: 'PAYLOAD_HAS_DELIMITER' }),
      );
    },
  );
});
