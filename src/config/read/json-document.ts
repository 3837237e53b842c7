// Parses the text of a config into a tree with positions. JSON with comments and trailing commas. A text with a syntax error has
// no tree: a partial config is worse than the previous one.

import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Position } from '../problem.ts';
import { TOO_DEEP } from './nesting.ts';
import { sourceText } from './source-text.ts';

export interface JsonFault extends Position {
  message: string;
  suggestion?: string;
}

/** Also used for TOML and YAML, whose values are converted to JSON values. */
export interface JsonDocument {
  file: string;
  /** Undefined if and only if there is a fault. */
  root: Node | undefined;
  fault: JsonFault | undefined;
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

interface Words {
  message: string;
  suggestion?: string;
}

const backslash: Words = {
  message: 'a backslash in this string starts no valid escape sequence',
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

/** Explains a syntax error to the author of the config. */
function explainFault(fault: ParseError | undefined, text: string): Words {
  if (!fault) return words.ValueExpected!;
  const known = words[printParseErrorCode(fault.error)];
  if (known) return known;
  const symbol = text.slice(fault.offset, fault.offset + fault.length);
  const what = ofOtherLanguages.has(symbol) ? symbol : 'this';
  return { message: `${what} is not a JSON value`, suggestion: 'Put strings and names in double quotes.' };
}
