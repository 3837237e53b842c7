// Copies the beginning of a long text. In V8 the result of `slice` is a view: keeping the first thousand characters of a message would keep
// the whole message in memory.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** `whole` is the text that `text` is a slice of, if it is one. */
export function firstChars(text: string, most: number, whole = text): string {
  return whole.length <= most ? text : decoder.decode(encoder.encode(text.slice(0, most)));
}
