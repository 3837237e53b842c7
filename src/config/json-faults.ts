// What a parser finds wrong with JSON, in words for whoever wrote it.

import { type ParseError, printParseErrorCode } from 'jsonc-parser';

interface Words {
  message: string;
  suggestion?: string;
}

const backslash: Words = {
  message: 'a backslash in this string begins no valid escape',
  suggestion: 'Write Windows paths with / or with \\\\.',
};

/** By the names that jsonc-parser prints. */
const words: Readonly<Record<string, Words>> = {
  CommaExpected: { message: 'a comma is missing before this' },
  ColonExpected: { message: 'a colon is missing before this' },
  CloseBraceExpected: { message: 'a } is missing here' },
  CloseBracketExpected: { message: 'a ] is missing here' },
  PropertyNameExpected: { message: 'a name in double quotes should stand here' },
  ValueExpected: { message: 'a value should stand here' },
  EndOfFileExpected: {
    message: 'the JSON ends before this',
    suggestion: 'Remove the rest, or look for a } too many before it.',
  },
  UnexpectedEndOfString: {
    message: 'a string is not closed on its line',
    suggestion: 'A line break inside of a string is written \\n.',
  },
  UnexpectedEndOfComment: { message: 'a comment is not closed', suggestion: 'Add */ at its end.' },
  InvalidEscapeCharacter: backslash,
  InvalidUnicode: backslash,
  InvalidCharacter: { message: 'a control character stands in a string' },
};

/** What may be repeated in a message. Anything else could be a secret that lost its quotes. */
const ofOtherLanguages = new Set(['True', 'False', 'None', 'nil', 'undefined', 'NaN', 'Infinity']);

export function explainFault(fault: ParseError | undefined, text: string): Words {
  if (!fault) return words.ValueExpected!;
  const known = words[printParseErrorCode(fault.error)];
  if (known) return known;
  const symbol = text.slice(fault.offset, fault.offset + fault.length);
  const what = ofOtherLanguages.has(symbol) ? symbol : 'this';
  return { message: `${what} is no value`, suggestion: 'Strings and names stand in double quotes.' };
}
