// Decodes UTF-8: invalid bytes become U+FFFD, and a byte order mark is kept. Uses Buffer where it exists, because TextDecoder is slower for
// short texts, and most messages are short.

interface BufferText {
  toString(encoding: 'utf8', start?: number, end?: number): string;
}
interface BufferClass {
  isBuffer(bytes: unknown): boolean;
  from(memory: ArrayBufferLike, offset: number, length: number): BufferText;
}

const { Buffer: NodeBuffer } = globalThis as { Buffer?: BufferClass };

export type DecodeText = (bytes: Uint8Array, start?: number, end?: number) => string;

export const decodeText: DecodeText = NodeBuffer ? byBuffer(NodeBuffer) : byDecoder();

export function byBuffer(Class: BufferClass): DecodeText {
  return (bytes, start, end) => {
    const buffer: BufferText = Class.isBuffer(bytes)
      ? bytes
      : Class.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return buffer.toString('utf8', start, end);
  };
}

export function byDecoder(): DecodeText {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return (bytes, start, end) => decoder.decode(bytes.subarray(start, end));
}
