// The tokens of TypeScript that are needed to find imports: words, strings, and single characters for the rest.
// Comments, template texts and regular expressions are skipped; code inside `${}` is not. There is no grammar.

export interface Token {
  kind: 'word' | 'string' | 'other';
  text: string;
  line: number;
}

const passedOver = /\s+|\/\/.*|\/\*[\s\S]*?\*\//y;
const word = /[\p{ID_Start}$_#][\p{ID_Continue}$]*/uy;
const string = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y;
const number = /\d[\w.]*/y;
const regExp = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const templatePart = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(`|\$\{)/y;

/** A slash after one of these words starts a regular expression; after any other word it divides. */
const beforeRegExp = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'void',
  'delete',
  'throw',
  'await',
]);

export function tokens(source: string): Token[] {
  const found: Token[] = [];
  /** One entry for each open `${`: the number of open braces inside it. */
  const templates: number[] = [];
  let at = 0;
  let line = 1;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(source)?.[0];
    if (text === undefined) return undefined;
    at += text.length;
    line += text.split('\n').length - 1;
    return text;
  };
  const add = (kind: Token['kind'], text: string) => found.push({ kind, text, line });
  const readTemplate = () => {
    if (take(templatePart)?.endsWith('${')) templates.push(0);
  };

  while (at < source.length) {
    if (take(passedOver) !== undefined) continue;
    const text = take(string);
    if (text !== undefined) add('string', text.slice(1, -1));
    else if (!takeWord() && !(mayBeginRegExp(found.at(-1)) && take(regExp))) takeCharacter();
  }
  return found;

  function takeWord(): boolean {
    const text = take(word) ?? take(number);
    if (text !== undefined) add('word', text);
    return text !== undefined;
  }

  function takeCharacter(): void {
    const character = source[at++]!;
    const depth = templates.length - 1;
    if (character === '`') readTemplate();
    else if (character === '}' && templates[depth] === 0) {
      templates.pop();
      readTemplate();
    } else {
      if (depth >= 0 && character === '{') templates[depth]!++;
      if (depth >= 0 && character === '}') templates[depth]!--;
      add('other', character);
    }
  }
}

function mayBeginRegExp(before: Token | undefined): boolean {
  if (!before) return true;
  if (before.kind === 'word') return beforeRegExp.has(before.text);
  return before.kind === 'other' && !')]}'.includes(before.text);
}
