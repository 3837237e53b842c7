// A short hash of a text: 64-bit FNV-1a. Not suitable for secrets. Avoids `node:crypto`, which takes milliseconds to load.

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/** Returns 16 hexadecimal digits. */
export function shortHash(text: string): string {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, '0');
}
