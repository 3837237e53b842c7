// Reads the members of a JSON object by type. A value of the wrong type is reported and treated as absent. The last of duplicate keys
// is used, as in every JSON parser; the others are reported.

import type { Node } from 'jsonc-parser';
import { didYouMean } from '../nearest.ts';
import type { Findings, Position } from '../problem.ts';
import type { JsonDocument } from './json-document.ts';

export interface Located {
  text: string;
  at: Position;
}

export class Fields {
  readonly at: Position;
  readonly #document: JsonDocument;
  readonly findings: Findings;
  readonly #fields = new Map<string, { key: Node; value: Node }>();

  /** `node` is an object. */
  constructor(node: Node, document: JsonDocument, findings: Findings) {
    this.at = document.at(node);
    this.#document = document;
    this.findings = findings;
    for (const { children } of node.children ?? []) {
      const [key, value] = children as [Node, Node];
      const first = this.#fields.get(key.value);
      if (first) {
        const message = `"${key.value}" is set here and again in line ${document.at(key).line}; the last value is used`;
        findings.warn(document.at(first.key), message);
      }
      this.#fields.set(key.value, { key, value });
    }
  }

  keys(): string[] {
    return [...this.#fields.keys()];
  }

  has(key: string): boolean {
    return this.#fields.has(key);
  }

  value(key: string): Node | undefined {
    return this.#fields.get(key)?.value;
  }

  /** The position of the key, or of the object if it has no such key. */
  keyAt(key: string): Position {
    return this.#positionOf(this.#fields.get(key)?.key);
  }

  valueAt(key: string): Position {
    return this.#positionOf(this.#fields.get(key)?.value);
  }

  #positionOf(node: Node | undefined): Position {
    return node ? this.#document.at(node) : this.at;
  }

  text(key: string, suggestion?: string): Located | undefined {
    const node = this.value(key);
    if (!node) return undefined;
    if (node.type === 'string') return { text: node.value, at: this.#document.at(node) };
    return this.#wrong(`"${key}"`, 'a string', node, suggestion);
  }

  texts(key: string, suggestion: string): Located[] | undefined {
    const list = this.value(key);
    if (!list) return undefined;
    if (list.type !== 'array') return this.#wrong(`"${key}"`, 'an array of strings', list, suggestion);
    return (list.children ?? []).flatMap((node, index) => {
      if (node.type === 'string') return [{ text: node.value as string, at: this.#document.at(node) }];
      this.#wrong(`"${key}"[${index}]`, 'a string', node, inQuotes(node));
      return [];
    });
  }

  boolean(key: string): boolean | undefined {
    const node = this.value(key);
    if (!node || node.type === 'boolean') return node?.value;
    return this.#wrong(`"${key}"`, 'true or false', node, node.type === 'string' ? 'Remove the quotes.' : undefined);
  }

  /** Reads an integer: milliseconds or a count. */
  count(key: string, least: 0 | 1, most: number): number | undefined {
    const node = this.value(key);
    if (!node) return undefined;
    const fits = Number.isInteger(node.value) && node.value >= least && node.value <= most;
    if (node.type === 'number' && fits) return node.value;
    return this.#wrong(`"${key}"`, `an integer from ${least} to ${most}`, node);
  }

  choice<T extends string>(key: string, choices: readonly T[]): T | undefined {
    const given = this.text(key);
    if (!given || choices.includes(given.text as T)) return given?.text as T | undefined;
    const list = choices.map((choice) => `"${choice}"`).join(', ');
    this.findings.error(given.at, `"${key}" must be one of ${list}`, didYouMean(given.text, choices));
    return undefined;
  }

  object(key: string, suggestion?: string): Fields | undefined {
    const node = this.value(key);
    if (!node) return undefined;
    if (node.type === 'object') return new Fields(node, this.#document, this.findings);
    return this.#wrong(`"${key}"`, 'an object', node, suggestion);
  }

  /** Warns about unknown keys; `strict`: they are errors. `explain` may return a better suggestion, or '' to accept a key. */
  warnUnknown(known: readonly string[], explain?: (key: string) => string | undefined, strict = false): void {
    for (const key of this.keys()) {
      if (known.includes(key) || isComment(key)) continue;
      const explanation = explain?.(key);
      if (explanation === '') continue;
      const report = strict ? 'error' : 'warn';
      this.findings[report](this.keyAt(key), `Unknown key "${key}"`, explanation ?? didYouMean(key, known));
    }
  }

  #wrong(what: string, wanted: string, node: Node, suggestion?: string): undefined {
    const found = node.type === 'number' && /number|integer/.test(wanted) ? String(node.value) : typeName(node.type);
    this.findings.error(this.#document.at(node), `${what} must be ${wanted}, not ${found}`, suggestion);
    return undefined;
  }
}

function typeName(type: Node['type']): string {
  if (type === 'null') return type;
  return `${type === 'object' || type === 'array' ? 'an' : 'a'} ${type}`;
}

/** `"//"`, `"_comment"`, `"#"`: comments in plain JSON. */
export function isComment(key: string): boolean {
  return /^(?:\/\/|_|#)/.test(key);
}

export function inQuotes({ type, value }: Node): string | undefined {
  return type === 'number' || type === 'boolean' ? `Put it in quotes: "${value}".` : undefined;
}
