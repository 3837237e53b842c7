// Lossless JSON. JSON.parse rounds numbers, keeps the last of two equal keys and sorts keys that look like indexes. Here such numbers
// and objects keep their text. Everything else becomes the usual value.

export class WrittenNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Whether a double holds the same value: `1.0` yes, `9007199254740993` no. */
  get isExact(): boolean {
    return decimalOf(this.text) === decimalOf(String(Number(this.text)));
  }
}

/** An object whose keys repeat or would be sorted. */
export class WrittenObject {
  readonly entries: readonly (readonly [string, unknown])[];

  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries;
  }

  get repeats(): boolean {
    return new Set(this.entries.map(([key]) => key)).size < this.entries.length;
  }
}

/** Digits without leading and trailing zeros, and the power of ten: equal for equal values. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (whole === '') return text; // the text is `Infinity`
  if (kept === '') return `${sign}0`;
  return `${sign}${kept}e${BigInt(power) - BigInt(fraction.length) + BigInt(digits.length - kept.length)}`;
}

/** Throws the same errors as JSON.parse. */
export function parseExact(text: string): unknown {
  JSON.parse(text);
  return new Reader(text).value();
}

const separators = /[\s:,]*/y;
const bareWord = /[[\]{}]|[^\s:,[\]{}]+/y;

/** Reads text that is known to be valid JSON. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    return this.#valueOf(this.#next());
  }

  #next(): string {
    separators.lastIndex = this.#at;
    separators.test(this.#text);
    const from = separators.lastIndex;
    if (this.#text[from] === '"') this.#at = this.#endOfString(from);
    else {
      bareWord.lastIndex = from;
      bareWord.test(this.#text);
      this.#at = bareWord.lastIndex;
    }
    return this.#text.slice(from, this.#at);
  }

  #endOfString(from: number): number {
    for (let at = from + 1; ; at++) {
      at = this.#text.indexOf('"', at);
      let slashes = 0;
      while (this.#text[at - 1 - slashes] === '\\') slashes++;
      if (slashes % 2 === 0) return at + 1;
    }
  }

  #valueOf(word: string): unknown {
    if (word === '{') return this.#object();
    if (word === '[') return this.#array();
    if (word[0] === '"' || /^[tfn]/.test(word)) return JSON.parse(word);
    return Object.is(String(Number(word)), word) ? Number(word) : new WrittenNumber(word);
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    for (let word = this.#next(); word !== ']'; word = this.#next()) items.push(this.#valueOf(word));
    return items;
  }

  #object(): unknown {
    const entries: [string, unknown][] = [];
    for (let word = this.#next(); word !== '}'; word = this.#next()) entries.push([JSON.parse(word), this.value()]);
    const plain = Object.fromEntries(entries);
    const sorted = Object.keys(plain);
    const isAsWritten = sorted.length === entries.length && sorted.every((key, at) => key === entries[at]![0]);
    return isAsWritten ? plain : new WrittenObject(entries);
  }
}

/** JSON.stringify that also writes `WrittenNumber` and `WrittenObject`. */
export function writeExact(value: unknown, indent = ''): string {
  return write(value, indent, '\n') ?? 'null';
}

function write(value: unknown, indent: string, line: string): string | undefined {
  if (value instanceof WrittenNumber) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = line + indent;
  const join = (parts: string[], [open, close]: string) => {
    if (parts.length === 0) return `${open}${close}`;
    return indent === ''
      ? `${open}${parts.join(',')}${close}`
      : `${open}${inner}${parts.join(`,${inner}`)}${line}${close}`;
  };
  if (Array.isArray(value))
    return join(
      value.map((item) => write(item, indent, inner) ?? 'null'),
      '[]',
    );
  const members = entriesOf(value).flatMap(([key, member]) => {
    const text = write(member, indent, inner);
    return text === undefined ? [] : [`${JSON.stringify(key)}:${indent === '' ? '' : ' '}${text}`];
  });
  return join(members, '{}');
}

export function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return value instanceof WrittenObject ? value.entries : Object.entries(value);
}

/** The value as JSON.parse returns it, for schemas and forms. With `keepNumbers`, only objects are converted. */
export function plainOf(value: unknown, keepNumbers = false): unknown {
  if (value instanceof WrittenNumber) return keepNumbers ? value : Number(value.text);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => plainOf(item, keepNumbers));
  return Object.fromEntries(entriesOf(value).map(([key, member]) => [key, plainOf(member, keepNumbers)]));
}

/** Describes the first value whose meaning JSON.parse would change. */
export function lossOf(value: unknown): string | undefined {
  if (value instanceof WrittenNumber)
    return value.isExact ? undefined : `${value.text} would become ${Number(value.text)}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof WrittenObject && value.repeats) return 'an object has a duplicate key';
  for (const [, member] of entriesOf(value)) {
    const loss = lossOf(member);
    if (loss !== undefined) return loss;
  }
  return undefined;
}

/** Arguments for the API. Includes their text if the values alone would lose information. */
export function argumentsOf(value: unknown, text?: string): { args: Record<string, unknown>; argsText?: string } {
  const args = plainOf(value) as Record<string, unknown>;
  const exact = text === undefined ? value : parseExact(text);
  return lossOf(exact) === undefined ? { args } : { args, argsText: text ?? writeExact(exact) };
}
