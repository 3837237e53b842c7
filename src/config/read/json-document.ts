// Parses the text of a config into a tree with positions. A text with a syntax error has no tree: a partial config is worse than the
// previous one.

import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { ConfigFormat } from '../hosts/host-program.ts';
import type { Position } from '../problem.ts';

interface Words {
  message: string;
  suggestion?: string;
}

/** A parsed document. Also used for TOML and YAML, whose values are converted to JSON values. */
export interface JsonDocument {
  file: string;
  /** The root of the tree; undefined if and only if there is a fault. */
  root: Node | undefined;
  fault: (Position & Words) | undefined;
  at(node: { offset: number }): Position;
}

export function parseDocument(fileText: string, file: string): JsonDocument {
  const { text, at, faulty } = sourceText(fileText, file);
  if (text.trim() === '') return faulty(0, 'The file is empty', 'Write at least {"mcpServers": {}}.');
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { allowTrailingComma: true });
    const first = errors[0];
    if (root && !first) return { file, root, fault: undefined, at };
    const { message, suggestion } = explainFault(first, text);
    return faulty(first?.offset ?? 0, `Not JSON: ${message}`, suggestion);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return faulty(0, TOO_DEEP);
  }
}

const backslash: Words = {
  message: 'a backslash in this string does not start a valid escape sequence',
  suggestion: 'Write Windows paths with / or with \\\\.',
};

/** Messages by the error names of jsonc-parser. */
const words: Readonly<Record<string, Words>> = {
  CommaExpected: { message: 'a comma is missing before this' },
  ColonExpected: { message: 'a colon is missing before this' },
  CloseBraceExpected: { message: 'a } is missing here' },
  CloseBracketExpected: { message: 'a ] is missing here' },
  PropertyNameExpected: { message: 'a name in double quotes is expected here' },
  ValueExpected: { message: 'a value is expected here' },
  EndOfFileExpected: {
    message: 'there is text after the end of the JSON',
    suggestion: 'Remove it, or look for an extra } before it.',
  },
  UnexpectedEndOfString: {
    message: 'a string is not closed on its line',
    suggestion: 'Write a line break inside a string as \\n.',
  },
  UnexpectedEndOfComment: { message: 'a comment is not closed', suggestion: 'Add */ at its end.' },
  InvalidEscapeCharacter: backslash,
  InvalidUnicode: backslash,
  InvalidCharacter: { message: 'a string contains a control character' },
};

/** Words that a message may quote. Any other word could be an unquoted secret. */
const ofOtherLanguages = new Set(['True', 'False', 'None', 'nil', 'undefined', 'NaN', 'Infinity']);

function explainFault(fault: ParseError | undefined, text: string): Words {
  if (!fault) return words.ValueExpected!;
  const known = words[printParseErrorCode(fault.error)];
  if (known) return known;
  const symbol = text.slice(fault.offset, fault.offset + fault.length);
  const what = ofOtherLanguages.has(symbol) ? symbol : 'this';
  return { message: `${what} is not a JSON value`, suggestion: 'Put strings and names in double quotes.' };
}

export const TOO_DEEP = 'Not a config: it is nested too deeply';

export interface SourceText {
  text: string;
  at(node: { offset: number }): Position;
  /** `line` counts from 1, `column` from 0. */
  offsetOf(position: { line: number; column: number }): number;
  /** A document without a tree, for a syntax error. */
  faulty(offset: number, message: string, suggestion?: string): JsonDocument;
}

/** A byte order mark is skipped and is not a column. */
export function sourceText(fileText: string, file: string): SourceText {
  const text = fileText.replace(/^\uFEFF/, '');
  const lineStarts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((end) => end.index + end[0].length)];
  const at = ({ offset }: { offset: number }): Position => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    return { file, line: line + 1, column: offset - lineStarts[line]! + 1 };
  };
  return {
    text,
    at,
    offsetOf: ({ line, column }) => (lineStarts[line - 1] ?? 0) + column,
    faulty: (offset, message, suggestion) => {
      return { file, root: undefined, fault: { ...at({ offset }), message, suggestion }, at };
    },
  };
}

/** Parses the text of a config file in its format. The libraries for TOML and YAML are loaded on first use. */
export async function parseText(
  text: string,
  { file, layout }: { file: string; layout?: { format: ConfigFormat } | undefined },
): Promise<JsonDocument> {
  if (layout?.format === 'toml') return (await import('./toml-document.ts')).parseToml(text, file);
  if (layout?.format === 'yaml') return (await import('./yaml-document.ts')).parseYaml(text, file);
  return parseDocument(text, file);
}
