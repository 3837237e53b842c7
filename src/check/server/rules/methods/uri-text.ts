// URIs as servers write them, of any length: a pattern that repeats a group for each character would exceed the stack.

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const NOT_OF_URIS = /[^\w.~:/?#[\]@!$&'()*+,;=%-]|%(?![0-9A-Fa-f]{2})/;

/** RFC 3986: a scheme, then allowed characters. Their order depends on the scheme. */
export function isUri(text: string): boolean {
  return SCHEME.test(text) && !NOT_OF_URIS.test(text);
}
