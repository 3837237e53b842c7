// The beginning of a long text, as a text of its own. What `slice` returns is a view in V8: whoever keeps the first thousand
// characters of a message would keep all sixty million.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** `whole`: the text that this one was cut out of, if it was. */
export function firstChars(text: string, most: number, whole = text): string {
  return whole.length <= most ? text : decoder.decode(encoder.encode(text.slice(0, most)));
}
