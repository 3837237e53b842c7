// A full-text index of tools: BM25 over their names, descriptions and parameters. Words of names such as `createPull_request` are
// separated, endings and words without meaning are left out, and a word of a name counts three times. docs/search.md has what it finds in
// public sets of tools, compared with other ways.

import { isObject } from '../base/json-object.ts';
import type { Tool } from './types.ts';

export interface IndexedTool {
  readonly server: string;
  readonly tool: Tool;
}

export interface FoundTool<T extends IndexedTool> {
  readonly entry: T;
  readonly score: number;
}

const NAME_WEIGHT = 3;
const PARAMETER_WEIGHT = 0.5;
const SATURATION = 1.2;
const LENGTH_INFLUENCE = 0.5;
/** Characters of a tool, and of a query, that are read. */
const MOST_CHARS = 8_000;
const MOST_PARAMETERS = 100;

const withoutMeaning = new Set(
  (
    'a about all also am an and any are as at be been but by can could did do does for from get give had has have help how i if in ' +
    'into is it its like may me my need no not of on or our please should show so some tell that the their them then there these ' +
    'they this to us use want was we were what when where which who will with would you your'
  ).split(' '),
);

/** Words in lower case, without endings. */
export function wordsOf(text: string): string[] {
  const separated = text
    .slice(0, MOST_CHARS)
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .toLowerCase();
  const words: string[] = [];
  for (const [word] of separated.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}/u.test(word))
      words.push(...pairsOf(word));
    else if (!withoutMeaning.has(word)) words.push(stemOf(word));
  }
  return words;
}

/** Scripts without spaces: each pair of characters is a word. */
function pairsOf(word: string): string[] {
  const characters = [...word];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => characters[at]! + character);
}

function stemOf(word: string): string {
  if (word.length < 5)
    return word.length === 4 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  for (const ending of ['ing', 'ed', 'es', 'e']) if (word.endsWith(ending)) return word.slice(0, -ending.length);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

export class ToolIndex<T extends IndexedTool> {
  readonly #entries: T[] = [];
  /** For each word the numbers of the tools that have it, each followed by its weight. */
  readonly #places = new Map<string, number[]>();
  readonly #lengths: number[] = [];
  #sumOfLengths = 0;

  add(entry: T): void {
    const { server, tool } = entry;
    const number = this.#entries.push(entry) - 1;
    const weights = new Map<string, number>();
    const add = (text: unknown, weight: number) => {
      if (typeof text !== 'string') return;
      for (const word of wordsOf(text)) weights.set(word, (weights.get(word) ?? 0) + weight);
    };
    add(server, NAME_WEIGHT);
    add(tool.name, NAME_WEIGHT);
    add(tool.title, 1);
    add(tool.description, 1);
    for (const [name, about] of parametersOf(tool)) {
      add(name, PARAMETER_WEIGHT);
      add(about, PARAMETER_WEIGHT);
    }
    let length = 0;
    for (const [word, weight] of weights) {
      length += weight;
      const places = this.#places.get(word);
      if (places) places.push(number, weight);
      else this.#places.set(word, [number, weight]);
    }
    this.#lengths.push(length);
    this.#sumOfLengths += length;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The best matches, at most `most`. */
  search(query: string, most: number, mayFind: (entry: T) => boolean = () => true): FoundTool<T>[] {
    const scores = new Map<number, number>();
    const meanLength = this.#sumOfLengths / Math.max(1, this.#entries.length);
    for (const word of new Set(wordsOf(query))) {
      const places = this.#places.get(word);
      if (!places) continue;
      const count = places.length / 2;
      const rarity = Math.log(1 + (this.#entries.length - count + 0.5) / (count + 0.5));
      for (let at = 0; at < places.length; at += 2) {
        const [number, weight] = [places[at]!, places[at + 1]!];
        const length = 1 - LENGTH_INFLUENCE + (LENGTH_INFLUENCE * this.#lengths[number]!) / meanLength;
        const score = (rarity * weight * (SATURATION + 1)) / (weight + SATURATION * length);
        scores.set(number, (scores.get(number) ?? 0) + score);
      }
    }
    const best = [...scores].sort(([one, a], [other, b]) => b - a || one - other);
    const found: FoundTool<T>[] = [];
    for (const [number, score] of best) {
      if (found.length >= most) break;
      const entry = this.#entries[number]!;
      if (mayFind(entry)) found.push({ entry, score });
    }
    return found;
  }
}

function parametersOf({ inputSchema }: Tool): [string, unknown][] {
  const properties = isObject(inputSchema) ? inputSchema.properties : undefined;
  if (!isObject(properties)) return [];
  return Object.entries(properties)
    .slice(0, MOST_PARAMETERS)
    .map(([name, schema]) => [name, isObject(schema) ? schema.description : undefined]);
}
