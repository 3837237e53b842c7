// Parses environment files as dotenv does: one NAME=value per line, optional `export`, comments, three kinds of quotes, and quoted
// values over several lines. Double quotes support \n, \r, \t, \" and \\. Variables are not expanded. Pure.

export interface EnvFile {
  values: Map<string, string>;
  /** Invalid lines; they are skipped. */
  faults: { line: number; message: string }[];
}

const blank = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y;
const name = /[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_][\w.-]*)[^\S\n]*=[^\S\n]*/y;
const quoted = /"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|`([^`]*)`/y;
const restOfLine = /([^\n]*)(?:\n|$)/y;

export function parseEnvFile(fileText: string): EnvFile {
  const text = fileText.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const values = new Map<string, string>();
  const faults: EnvFile['faults'] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at = pattern.lastIndex;
    return match ?? undefined;
  };

  while (at < text.length) {
    if (take(blank)) continue;
    const start = at;
    const fault = takeAssignment();
    if (!fault) continue;
    faults.push({ line: text.slice(0, start).split('\n').length, message: fault });
    at = start;
    take(restOfLine);
  }
  return { values, faults };

  function takeAssignment(): string | undefined {
    const key = take(name)?.[1];
    if (key === undefined) return 'This line is neither NAME=value nor a comment';
    if (!`"'\``.includes(text[at] ?? ' ')) {
      values.set(key, withoutComment(take(restOfLine)![1]!));
      return undefined;
    }
    const value = take(quoted);
    if (!value) return `The value of ${key} has no closing quote`;
    const [, double, single, backtick] = value;
    if (!take(blank)) return `There is text after the value of ${key}`;
    values.set(key, double === undefined ? (single ?? backtick)! : unescapeText(double));
    return undefined;
  }
}

function withoutComment(value: string): string {
  return value.replace(/(?:^|\s)#.*$/, '').trim();
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

function unescapeText(text: string): string {
  return text.replaceAll(/\\([nrt"\\])/g, (_, letter: string) => escapes[letter]!);
}
