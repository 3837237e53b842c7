// JSON text that is sent as it is written: a number that a double cannot hold, or a key that stands twice, would not survive
// JSON.parse and JSON.stringify. It stands in a message like any value; to-json.ts puts the text in its place.
// (JSON.rawJSON does this for single numbers, and is missing in Node.js 20.)

export class RawJson {
  readonly #text: string;
  readonly #placeholder = `raw-json:${crypto.getRandomValues(new Uint8Array(16)).join('-')}`;

  /** Throws a SyntaxError where the text is not JSON. */
  constructor(text: string) {
    JSON.parse(text);
    // Inside a string there is no bare line break, and between values a space does as well: most framings end a message by a newline.
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

/** Those that JSON.stringify has met since the last splice. It is synchronous: they belong to the text it returns. */
let pending: RawJson[] = [];

/** To be called with what JSON.stringify returned. Costs nothing where no RawJson was in it. */
export function spliceRawJson(json: string): string {
  if (pending.length === 0) return json;
  const met = pending;
  pending = [];
  return met.reduce((text, raw) => raw.putInto(text), json);
}
