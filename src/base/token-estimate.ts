// An estimate of how many tokens a model reads in a text, without a table of tokens. It splits a text as the tokenizers of language
// models do, and estimates each part by its length. docs/cost.md compares it with o200k_base.

/** The parts of a text: a word with the space or sign before it, up to three digits, a run of other signs, or white space. */
const parts =
  /[^\r\n\p{L}\p{N}]?(\p{Lu}*[\p{Ll}\p{M}]+|\p{Lu}+|[\p{Lo}\p{Lm}\p{Lt}]+)|(\p{N}{1,3})| ?([^\s\p{L}\p{N}]+)|\s+/gu;

/** Most words of up to this many letters are one token. */
const LETTERS_OF_ONE_TOKEN = 9;
const FURTHER_LETTERS_A_TOKEN = 4;
const SIGNS_A_TOKEN = 4;
/** Letters per token in scripts without capital letters, such as Chinese. */
const OTHER_LETTERS_A_TOKEN = 1.25;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [whole, word, , signs] of text.matchAll(parts)) {
    if (word !== undefined) tokens += tokensOfWord(word);
    else if (signs !== undefined) tokens += Math.ceil(signs.length / SIGNS_A_TOKEN);
    else if (whole.length > 0) tokens += 1;
  }
  return Math.round(tokens);
}

function tokensOfWord(word: string): number {
  if (word.charCodeAt(0) > 0x2fff) return Math.max(1, word.length / OTHER_LETTERS_A_TOKEN);
  const further = word.length - LETTERS_OF_ONE_TOKEN;
  return further <= 0 ? 1 : 1 + Math.ceil(further / FURTHER_LETTERS_A_TOKEN);
}
