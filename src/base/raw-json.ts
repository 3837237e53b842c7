// JSON text that is sent unchanged. JSON.parse and JSON.stringify would lose duplicate keys and numbers that a double
// cannot represent. A RawJson is a value in a message; to-json.ts replaces it by its text.
// (JSON.rawJSON does this for single numbers, but not in Node.js 20.)

export class RawJson {
  readonly #text: string;
  readonly #placeholder = `raw-json:${crypto.getRandomValues(new Uint8Array(16)).join('-')}`;

  /** Throws a SyntaxError if the text is not JSON. */
  constructor(text: string) {
    JSON.parse(text);
    // A newline ends a message in most framings. Strings contain only escaped line breaks, and between values a space
    // is equivalent.
    this.#text = text.trim().replace(/[\r\n]+/g, ' ');
  }

  toJSON(): string {
    pending.push(this);
    return this.#placeholder;
  }

  putInto(json: string): string {
    return json.replace(`"${this.#placeholder}"`, () => this.#text);
  }
}

/**
 * Values that JSON.stringify has visited since the last splice. JSON.stringify is synchronous, so they all belong to
 * the text it returns.
 */
let pending: RawJson[] = [];

/** Takes the result of JSON.stringify. Costs nothing if the result contains no RawJson. */
export function spliceRawJson(json: string): string {
  if (pending.length === 0) return json;
  const met = pending;
  pending = [];
  return met.reduce((text, raw) => raw.putInto(text), json);
}
