import { describe, expect, it } from 'vitest';
import { contentLength, MAX_HEADER_LINE_BYTES, STUCK_HEADER_BYTES } from './content-length.ts';
import { bytesOf, decodeAll, everySplit } from './events.contract.ts';
import { framingContract } from './framing.contract.ts';
import { PREFIX_BYTES } from './framing.ts';
import { MAX_HEADER_LINES } from './header-block.ts';
import { naiveContentLength } from './naive.contract.ts';
import { chunksOf } from './streams.contract.ts';

framingContract('content-length', contentLength(), {
  naive: naiveContentLength,
  pieces: [
    '\n',
    '\r',
    '\r\n',
    '\r\n\r\n',
    'Content-Length: 3\r\n',
    'Content-Length: 2\r\n\r\n{}',
    'content-length:0\n\n',
    'Content-Length: x\n',
    'CONTENT-LENGTH : 5',
    'Content-Type: application/json\r\n',
    'INFO: ready\n',
    'Content-',
    '9',
    '\u00ef\u00bb\u00bf',
  ],
  skip: { 'JSON written as text and as bytes is the same': 'a length has to be counted in bytes' },
});

const decode = (text: string, maxFrameBytes?: number) => {
  const [first, ...others] = [...everySplit(bytesOf(text))].map((chunks) =>
    JSON.stringify(decodeAll(contentLength().decoder({ maxFrameBytes }), chunks)),
  );
  for (const other of others) expect(other).toBe(first);
  return JSON.parse(first!);
};
const invalid = (offset: number, prefix: string) => ({
  fault: 'FRAME_LENGTH_INVALID',
  offset,
  length: prefix.length,
  prefix,
});

describe('content-length', () => {
  it('reads header lines in any case and order, with CRLF or LF', () => {
    const header = 'content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:  8 \r\n\r\n';
    for (const text of [header, header.replaceAll('\r', '')]) {
      expect(decode(`${text}{"id":1}Content-Length: 0\n\n`)).toEqual([
        { frame: '{"id":1}', offset: text.length },
        { frame: '', offset: text.length + 8 + 19 },
      ]);
    }
  });

  it('writes the length in bytes', () => {
    expect(Buffer.from(contentLength().encode(bytesOf('漢'))).toString()).toBe('Content-Length: 3\r\n\r\n漢');
  });

  it('reports stray output between frames line by line, and loses nothing else', () => {
    const frame = 'Content-Length: 2\r\n\r\n{}';
    expect(decode(`INFO: ready\n${frame}\r\nwarn\r\n\n${frame}Content-Length: 2\r\noops\r\n\r\n[]`)).toEqual([
      invalid(0, 'INFO: ready'),
      { frame: '{}', offset: 33 },
      invalid(37, 'warn'),
      { frame: '{}', offset: 65 },
      invalid(86, 'oops'),
      { frame: '[]', offset: 94 },
    ]);
  });

  it('finds a header directly after stray output without a line end', () => {
    expect(decode('loading...Content-Length: 2\r\n\r\n{}')).toEqual([
      invalid(0, 'loading...'),
      { frame: '{}', offset: 31 },
    ]);
  });

  it.each(['Content-Length: x', 'Content-Length: -1', 'Content-Length:', 'Content-Length: 1e3', 'Content-Type: a/b'])(
    'reports a block with %j and finds the next frame after the body of unknown length',
    (line) => {
      const block = `${line}\r\n\r\n`;
      const at = block.length;
      expect(decode(`${block}{"id":1}Content-Length: 8\r\n\r\n{"id":2}`)).toEqual([
        invalid(0, block),
        invalid(at, '{"id":1}'),
        { frame: '{"id":2}', offset: at + 8 + 21 },
      ]);
    },
  );

  it('reports a block with two lengths, even if they agree', () => {
    for (const second of [2, 3]) {
      const block = `Content-Length: 2\r\nContent-Length: ${second}\r\n\r\n`;
      expect(decode(`${block}Content-Length: 2\r\n\r\n{}`)).toEqual([
        invalid(0, block),
        { frame: '{}', offset: block.length + 21 },
      ]);
    }
  });

  it('reads a header line of the longest length, and skips a longer one', () => {
    const frame = 'Content-Length: 2\r\n\r\n{}';
    for (const end of ['\r\n', '\n']) {
      const longest = 'Content-Type: '.padEnd(MAX_HEADER_LINE_BYTES, 'x');
      const longer = `${longest}x`;
      const fault = { ...invalid(0, longer), prefix: longer.slice(0, PREFIX_BYTES) };
      for (const cuts of [[Infinity], [1], [MAX_HEADER_LINE_BYTES + 1, 1], [MAX_HEADER_LINE_BYTES]]) {
        const decoded = (text: string) =>
          decodeAll(contentLength().decoder(), chunksOf({ bytes: bytesOf(text), cuts }));
        expect(decoded(`${longest}${end}${frame}`)).toMatchObject([{ frame: '{}' }]);
        expect(decoded(`${longer}${end}${frame}`)).toMatchObject([fault, { frame: '{}' }]);
      }
    }
  });

  it('finds a header directly after stray output of any length, if it is near enough to the line end', () => {
    const body = '{'.repeat(20_000);
    const fault = { ...invalid(0, body), prefix: body.slice(0, PREFIX_BYTES) };
    const header = `Content-Length:${' '.repeat(STUCK_HEADER_BYTES - 16)}2`;
    expect(header).toHaveLength(STUCK_HEADER_BYTES);
    for (const end of ['\r\n\r\n', '\n\n']) {
      for (const cuts of [[Infinity], [1], [20_000, 1], [20_010, 45], [9000]]) {
        const decoded = (text: string) =>
          decodeAll(contentLength().decoder(), chunksOf({ bytes: bytesOf(text), cuts }));
        expect(decoded(`${body}${header}${end}{}`)).toMatchObject([fault, { frame: '{}' }]);
        expect(decoded(`${body}${header.replace(' ', '  ')}${end}`)).toMatchObject([{ length: 20_065 }]);
      }
    }
  });

  it('keeps a prefix of an endless line', () => {
    const decoder = contentLength().decoder();
    const sink = { frame: () => expect.fail('no frame'), fault: () => expect.fail('not yet') };
    for (let i = 0; i < 100; i++) decoder.push(new Uint8Array(10_000), sink);
    expect(decoder.heldBytes).toBeLessThan(3 * PREFIX_BYTES);
    expect(decodeAll(decoder, [])).toMatchObject([{ fault: 'FRAME_LENGTH_INVALID', offset: 0, length: 1_000_000 }]);
  });

  it('reports a block of too many lines, and continues', () => {
    const lines = 'Content-Language: de\r\n'.repeat(MAX_HEADER_LINES + 1);
    expect(decodeAll(contentLength().decoder(), [bytesOf(`${lines}\r\nContent-Length: 2\r\n\r\n{}`)])).toEqual([
      { fault: 'FRAME_LENGTH_INVALID', offset: 0, length: lines.length, prefix: lines.slice(0, PREFIX_BYTES) },
      { frame: '{}', offset: lines.length + 23 },
    ]);
  });

  it('skips a body that is too long', () => {
    expect(decode('Content-Length: 5\r\n\r\n12345Content-Length: 4\r\n\r\n1234', 4)).toEqual([
      { fault: 'FRAME_TOO_LONG', offset: 21, length: 5, prefix: '12345' },
      { frame: '1234', offset: 47 },
    ]);
  });

  it.each(['Content-Length: 5', 'Content-Length: 5\r\n', 'Content-Length: 5\r\nConte', 'Con', 'hello'])(
    'reports a stream that ends with %j',
    (text) => {
      expect(decode(text)).toEqual([{ fault: 'FRAME_TRUNCATED', offset: 0, length: text.length, prefix: text }]);
    },
  );
});
