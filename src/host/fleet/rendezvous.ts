// Rendezvous hashing: all nodes choose the same candidate for a key, and a candidate that disappears moves only its own keys.

/**
 * The candidate with the highest score is chosen. 32-bit FNV-1a with a final mix, because similar keys must differ in the high bits
 * too.
 */
export function rendezvousScore(key: string, candidate: string): number {
  const text = `${key}\n${candidate}`;
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
