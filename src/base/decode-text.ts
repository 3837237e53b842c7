// Bytes as text: what is no UTF-8 shows as U+FFFD, and a byte order mark stays. Node's Buffer does it where there is one:
// for the short texts that most messages are, a TextDecoder takes longer. Nothing is copied on the way.

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
