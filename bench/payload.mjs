// Text to send: plain ASCII words, the same every time, nothing in it that JSON has to escape.

export const KB = 1024;
export const MB = 1024 * KB;

const words = 'a pipe carries what it is given in the order it was given and knows nothing of what it means; ';

export function payload(bytes) {
  return words.repeat(Math.ceil(bytes / words.length)).slice(0, bytes);
}

/** An answer that came back shorter is no figure to compare with. */
export function checkWhole(answer, bytes) {
  if (answer.length !== bytes) throw new Error(`sent ${bytes} characters, got ${answer.length} back`);
}
