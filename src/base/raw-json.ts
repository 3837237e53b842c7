// JSON text that is sent unchanged: a number that a double cannot represent, or a duplicate key, would not survive JSON.parse and
// JSON.stringify. It is a value in a message; to-json.ts replaces it by its text.
// (JSON.rawJSON does this for single numbers, but not in Node.js 20.)

export class RawJson {
  readonly #text: string;
  readonly #placeholder = `raw-json:${crypto.getRandomValues(new Uint8Array(16)).join('-')}`;

  /** Throws a SyntaxError if the text is not JSON. */
  constructor(text: string) {
    JSON.parse(text);
    // Strings contain no unescaped line break, and between values a space is equivalent: in most framings a newline ends a message.
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

/** Values that JSON.stringify has visited since the last splice. It is synchronous: they belong to the text it returns. */
let pending: RawJson[] = [];

/** Takes the result of JSON.stringify. Costs nothing if it contains no RawJson. */
export function spliceRawJson(json: string): string {
  if (pending.length === 0) return json;
  const met = pending;
  pending = [];
  return met.reduce((text, raw) => raw.putInto(text), json);
}
