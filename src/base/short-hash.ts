// A short name for a long text, such as the path of a file. Not for secrets: FNV-1a of 64 bits, which needs no more than
// this, while loading `node:crypto` takes longer than many a command.

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** 16 hexadecimal digits. */
export function shortHash(text: string): string {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, '0');
}
