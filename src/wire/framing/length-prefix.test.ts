import { describe, expect, it } from 'vitest';
import { bytesOf, decodeAll, everySplit, framesOf } from './events.contract.ts';
import { framingContract } from './framing.contract.ts';
import { PREFIX_BYTES } from './framing.ts';
import { type LengthFormat, lengthPrefix } from './length-prefix.ts';
import { naiveHex, naiveUint32 } from './naive.contract.ts';

const noText = { 'JSON written as text and as bytes is the same': 'a length has to be counted in bytes' };
const binaryPieces = [
  '\0',
  '\0\0',
  '\0\0\0\x03',
  '\x03\0\0\0',
  '\0\0\0\0',
  '\0\0\0\x0fabc',
  '\x0f\0\0\0abc',
  '\xff',
  'abc',
];

framingContract('length-prefix', lengthPrefix(), { naive: naiveUint32(false), pieces: binaryPieces, skip: noText });
framingContract('length-prefix-le', lengthPrefix({ format: 'uint32le' }), {
  naive: naiveUint32(true),
  pieces: binaryPieces,
  skip: noText,
});
framingContract('length-prefix-hex', lengthPrefix({ format: 'hex' }), {
  naive: naiveHex,
  pieces: [
    '0',
    '0000',
    '0000000',
    '00000000',
    '00000003',
    '0000000F',
    '0000000aabc',
    'noise\n',
    'g',
    'ffff',
    '\n',
    '00000002{}',
  ],
  skip: noText,
});

describe('length-prefix', () => {
  const payload = bytesOf('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');

  it.each<[LengthFormat, string]>([
    ['uint32be', '\0\0\0\x2e'],
    ['uint32le', '\x2e\0\0\0'],
    ['hex', '0000002e'],
  ])('writes %s before the payload', (format, header) => {
    const frame = lengthPrefix({ format }).encode(payload);
    expect(Buffer.from(frame).toString('latin1')).toBe(header + payload.toString('latin1'));
  });

  it('counts bytes, not characters', () => {
    expect(Buffer.from(lengthPrefix({ format: 'hex' }).encode(bytesOf('漢'))).toString()).toBe('00000003漢');
  });

  it('skips exactly the announced bytes if they exceed the limit, and reports the announced length', () => {
    for (const chunks of everySplit(bytesOf('\0\0\0\x02ok\0\0\0\x05large\0\0\0\x02ok'))) {
      expect(decodeAll(lengthPrefix().decoder({ maxFrameBytes: 4 }), chunks)).toEqual([
        { frame: 'ok', offset: 4 },
        { fault: 'FRAME_TOO_LONG', offset: 10, length: 5, prefix: 'large' },
        { frame: 'ok', offset: 19 },
      ]);
    }
  });

  it('keeps only a prefix of a frame that was announced too long', () => {
    const decoder = lengthPrefix().decoder({ maxFrameBytes: 1_000_000 });
    const sink = { frame: () => expect.fail('no frame'), fault: () => expect.fail('not yet') };
    decoder.push(Uint8Array.of(0xff, 0xff, 0xff, 0xff), sink);
    for (let i = 0; i < 10; i++) decoder.push(new Uint8Array(100_000), sink);
    expect(decoder.heldBytes).toBeLessThanOrEqual(PREFIX_BYTES + 4);
    expect(decodeAll(decoder, [])).toMatchObject([{ fault: 'FRAME_TOO_LONG', offset: 4, length: 0xffff_ffff }]);
  });

  it('does not allocate memory for announced bytes', () => {
    const decoder = lengthPrefix().decoder();
    decoder.push(Uint8Array.of(3, 0, 0, 0, 1), { frame: () => expect.fail(), fault: () => expect.fail() });
    expect(decoder.heldBytes).toBeLessThan(2000);
  });

  it('reports a length that was cut off', () => {
    expect(decodeAll(lengthPrefix().decoder(), [bytesOf('\0\0\0\x01a\0\0')])).toEqual([
      { frame: 'a', offset: 4 },
      { fault: 'FRAME_TRUNCATED', offset: 5, length: 2, prefix: '\0\0' },
    ]);
  });

  it('refuses an unknown format', () => {
    expect(() => lengthPrefix({ format: 'toString' as LengthFormat })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

describe('length-prefix-hex', () => {
  const hex = lengthPrefix({ format: 'hex' });

  it('reads a hexadecimal length: 00000089{…} announces 137 bytes', () => {
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { pad: 'x'.repeat(71) } });
    expect(message).toHaveLength(0x89);
    for (const chunks of everySplit(bytesOf(`00000089${message}`))) {
      expect(framesOf(hex.decoder(), chunks)).toEqual([message]);
    }
  });

  it('uses the announced length: 46 bytes after 00000089 are a truncated frame', () => {
    const drawn = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    expect(decodeAll(hex.decoder(), [bytesOf(`00000089${drawn}`)])).toEqual([
      { fault: 'FRAME_TRUNCATED', offset: 8, length: 46, prefix: drawn },
    ]);
  });

  it('reads upper and lower case', () => {
    expect(framesOf(hex.decoder(), [bytesOf('0000000Aaaaaaaaaaa0000000abbbbbbbbbb')])).toEqual([
      'aaaaaaaaaa',
      'bbbbbbbbbb',
    ]);
  });

  it('reports stray output once, whatever its length, and finds the next frame', () => {
    for (const chunks of everySplit(bytesOf('00000002{}starting up: 1234567 0000\n00000002[]bye'))) {
      expect(decodeAll(hex.decoder(), chunks)).toEqual([
        { frame: '{}', offset: 8 },
        { fault: 'FRAME_LENGTH_INVALID', offset: 10, length: 26, prefix: 'starting up: 1234567 0000\n' },
        { frame: '[]', offset: 44 },
        { fault: 'FRAME_LENGTH_INVALID', offset: 46, length: 3, prefix: 'bye' },
      ]);
    }
    const noise = 'noise '.repeat(100_000);
    expect(decodeAll(hex.decoder(), [bytesOf(noise), bytesOf('00000002{}')])).toEqual([
      { fault: 'FRAME_LENGTH_INVALID', offset: 0, length: 600_000, prefix: noise.slice(0, PREFIX_BYTES) },
      { frame: '{}', offset: 600_008 },
    ]);
  });

  it('reports a length that was cut off', () => {
    expect(decodeAll(hex.decoder(), [bytesOf('0000')])).toEqual([
      { fault: 'FRAME_TRUNCATED', offset: 0, length: 4, prefix: '0000' },
    ]);
  });
});
