// The text that is sent: plain ASCII words, always the same, without characters that JSON escapes.

export const KB = 1024;
export const MB = 1024 * KB;

const words = 'a pipe carries what it is given in the order it was given and knows nothing of what it means; ';

export function payload(bytes) {
  return words.repeat(Math.ceil(bytes / words.length)).slice(0, bytes);
}

/** A truncated answer must not be measured. */
export function checkWhole(answer, bytes) {
  if (answer.length !== bytes) throw new Error(`sent ${bytes} characters, got ${answer.length} back`);
}
