// Explains syntax errors in JSON to the author of a config.

import { type ParseError, printParseErrorCode } from 'jsonc-parser';

interface Words {
  message: string;
  suggestion?: string;
}

const backslash: Words = {
  message: 'a backslash in this string starts no valid escape sequence',
  suggestion: 'Write Windows paths with / or with \\\\.',
};

/** By the error names of jsonc-parser. */
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

/** Words that a message may quote. Any other could be a secret without quotes. */
const ofOtherLanguages = new Set(['True', 'False', 'None', 'nil', 'undefined', 'NaN', 'Infinity']);

export function explainFault(fault: ParseError | undefined, text: string): Words {
  if (!fault) return words.ValueExpected!;
  const known = words[printParseErrorCode(fault.error)];
  if (known) return known;
  const symbol = text.slice(fault.offset, fault.offset + fault.length);
  const what = ofOtherLanguages.has(symbol) ? symbol : 'this';
  return { message: `${what} is not a JSON value`, suggestion: 'Put strings and names in double quotes.' };
}
