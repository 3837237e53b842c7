// Redacts data before it leaves the process: known values (mask-values.ts), values of secret names (secret-names.ts), texts with the form of
// a secret (redact-text.ts), and configured JSON paths. Not found: a known value at the cut of a frame that is too long to be kept; a secret
// that is encoded (base64) or written with unnecessary escapes; secrets without a recognisable name or form.

import { isJson } from '../json-object.ts';
import { isAtEnd, type PathsLeft, parseJsonPath, stepInto } from '../json-path.ts';
import { endOfString } from '../top-level-json.ts';
import { type Mask, maskForms, REDACTED } from './mask-values.ts';
import { mayHoldSecret, redactText } from './redact-text.ts';
import { isSecretName } from './secret-names.ts';

interface RedactOptions {
  /** Hides known values, such as those of the server's `env` (mask-values.ts). */
  mask?: Mask;
  /** Further secret keys, besides the well-known ones. */
  keys?: readonly string[];
  /** Paths of secret values in a message, such as `params.arguments.card` or `**.ssn`. */
  paths?: readonly string[];
  /** Called with each secret that was recognised by its name or its form. */
  onSecret?: (secret: string) => void;
}

/** Returns the same string if there was nothing to hide. */
export type Redact = (text: string) => string;

const beginsAsMessage = /^\s*(?:\{\s*["}]|\[\s*\{\s*")/;

export function redactor({ mask = maskForms(new Map()), keys = [], paths = [], onSecret }: RedactOptions = {}): Redact {
  const hide = hider(mask, onSecret);
  const extra = new Set(keys.map((key) => key.toLowerCase()));
  const inText: Redact = (text) => mask(mayHoldSecret(text) ? redactText(text, hide) : text);
  const rules: JsonRules = {
    isSecret: (key) => isSecretName(key) || extra.has(key.toLowerCase()),
    paths: paths.map(parseJsonPath),
    redactString: inText,
    hide,
  };
  const always = extra.size > 0 || paths.length > 0;
  return (text) => {
    if (!always && !mayHoldSecret(text) && mask(text) === text) return text;
    return beginsAsMessage.test(text) || isJson(text) ? new JsonRedaction(text, rules).run() : inText(text);
  };
}

const isName = /^\[env [^\]]+\]$/;

/** The replacement for a secret: the name of its variable, if that is known. */
export function hider(mask: Mask, onSecret?: (secret: string) => void): (secret: string) => string {
  return (secret) => {
    onSecret?.(secret);
    const shown = mask(secret);
    return isName.test(shown) ? shown : REDACTED;
  };
}

interface JsonRules {
  /** Whether the value under this key is secret. */
  isSecret(key: string): boolean;
  paths: PathsLeft;
  /** Replaces secrets inside a string. `content` is the escaped text between the quotes. */
  redactString(content: string): string;
  /** The replacement for a value that is secret as a whole, as plain text. */
  hide(secret: string): string;
}

interface Level {
  isObject: boolean;
  /** The key of the current value; in an array, its index. */
  key: string;
  index: number;
  /** True in a part of a JSON Schema that describes values and contains none: `"properties":{"token":{"type":"string"}}`. */
  namesProperties: boolean;
  left: PathsLeft;
}

const schemaKeys = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Replaces values in the text of a JSON document and keeps every other character, so that valid JSON stays valid. One pass, without
 * recursion. Never throws: invalid text is processed as far as possible, and a secret that is cut off is replaced to the end of the text.
 */
class JsonRedaction {
  readonly #text: string;
  readonly #rules: JsonRules;
  readonly #stack: Level[] = [];
  #output = '';
  #copied = 0;
  #at = 0;
  #keyComesNext = false;

  constructor(text: string, rules: JsonRules) {
    this.#text = text;
    this.#rules = rules;
  }

  run(): string {
    while (this.#at < this.#text.length) this.#token(this.#text.charCodeAt(this.#at));
    return this.#output + this.#text.slice(this.#copied);
  }

  #token(character: number): void {
    const level = this.#stack.at(-1);
    if (character === COMMA) {
      if (level?.isObject) this.#keyComesNext = true;
      else if (level) level.key = String(++level.index);
      this.#at++;
    } else if (character <= SPACE || character === COLON) {
      this.#at++;
    } else if (character === CLOSE_OBJECT || character === CLOSE_ARRAY) {
      this.#stack.pop();
      this.#keyComesNext = false;
      this.#at++;
      if (this.#stack.length === 0) this.#restIsText();
    } else if (character === QUOTE && this.#keyComesNext && level) {
      const end = stringEnd(this.#text, this.#at);
      const key = this.#text.slice(this.#at, end);
      level.key = unescaped(key.slice(1, -1));
      this.#keyComesNext = false;
      this.#replace(end, this.#redactScalar(key));
    } else {
      this.#value(character, level);
    }
  }

  #value(character: number, level: Level | undefined): void {
    const left = level ? stepInto(level.left, level.key) : this.#rules.paths;
    const byPath = left.length > 0 && isAtEnd(left);
    const byKey = level?.isObject === true && this.#rules.isSecret(level.key);
    const isContainer = character === OPEN_OBJECT || character === OPEN_ARRAY;
    if (isContainer && !byPath && !(byKey && !level?.namesProperties)) {
      this.#enter(character === OPEN_OBJECT, level, left);
      return;
    }
    const end = isContainer ? endOfContainer(this.#text, this.#at) : endOfScalar(this.#text, this.#at);
    const value = this.#text.slice(this.#at, end);
    if (byPath || byKey) this.#replace(end, isPlain(value) ? value : this.#hide(value));
    else this.#replace(end, this.#redactScalar(value));
  }

  #hide(value: string): string {
    return JSON.stringify(this.#rules.hide(value[0] === '"' ? unescaped(value.slice(1, -1)) : value));
  }

  #enter(isObject: boolean, parent: Level | undefined, left: PathsLeft): void {
    const namesProperties = isObject && parent?.isObject === true && schemaKeys.has(parent.key);
    this.#stack.push({ isObject, key: '0', index: 0, namesProperties, left });
    this.#keyComesNext = isObject;
    this.#at++;
  }

  /** Redacts the text after the document: usually empty, but other output may follow on the same line. */
  #restIsText(): void {
    this.#replace(this.#text.length, this.#rules.redactString(this.#text.slice(this.#at)));
  }

  #redactScalar(value: string): string {
    if (isPlain(value)) return value;
    if (value[0] !== '"') {
      const redacted = this.#rules.redactString(value);
      return redacted === value ? value : JSON.stringify(redacted);
    }
    const closed = value.length > 1 && value.endsWith('"');
    const content = value.slice(1, closed ? -1 : undefined);
    const redacted = this.#rules.redactString(content);
    if (redacted === content) return value;
    if (!closed) return `"${redacted}`;
    return isJson(`"${redacted}"`) ? `"${redacted}"` : `"${REDACTED}"`; // the replaced part began inside an escape sequence
  }

  #replace(end: number, value: string): void {
    if (value.length !== end - this.#at || !this.#text.startsWith(value, this.#at)) {
      this.#output += this.#text.slice(this.#copied, this.#at) + value;
      this.#copied = end;
    }
    this.#at = end;
  }
}

function isPlain(value: string): boolean {
  return value === 'null' || value === 'true' || value === 'false' || value === '""';
}

/** The index after the closing quote, or the end of the text. */
function stringEnd(text: string, start: number): number {
  const end = endOfString(text, start);
  return end < 0 ? text.length : end;
}

const scalarEnd = /[\s,:{}[\]"]/g;

function endOfScalar(text: string, start: number): number {
  if (text[start] === '"') return stringEnd(text, start);
  scalarEnd.lastIndex = start + 1;
  return scalarEnd.exec(text)?.index ?? text.length;
}

function endOfContainer(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = stringEnd(text, at) - 1;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

function unescaped(content: string): string {
  if (!content.includes('\\')) return content;
  try {
    return JSON.parse(`"${content}"`);
  } catch {
    return content;
  }
}
