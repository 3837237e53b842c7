// The part of Markdown that the tests need: links, headings, and blocks of code.

export interface CodeBlock {
  language: string;
  code: string;
}

const fence = /^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm;

export function codeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(fence)].map(([, language, code]) => ({ language: language!, code: code! }));
}

/** The targets of all links outside of code. */
export function links(page: string): string[] {
  return [...withoutCode(page).matchAll(/\]\(([^()\s]+)(?:\s+"[^"]*")?\)/g)].map((match) => match[1]!);
}

/** The anchors of all headings, as in links. */
export function headingAnchors(page: string): string[] {
  return headings(page).map(({ text }) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Every heading with the text below it, up to the next one. */
export function headings(page: string): { level: number; text: string; body: string }[] {
  const found = [...page.replaceAll(fence, blank).matchAll(/^(#+) +(.*)$/gm)];
  return found.map((match, n) => ({
    level: match[1]!.length,
    text: match[2]!.trim(),
    body: page.slice(match.index + match[0].length, found[n + 1]?.index),
  }));
}

/** Code in the text, outside of blocks. */
export function inlineCode(page: string): string[] {
  return [...page.replaceAll(fence, blank).matchAll(/`([^`\n]+)`/g)].map((match) => match[1]!);
}

function withoutCode(page: string): string {
  return page.replaceAll(fence, blank).replaceAll(/`[^`\n]*`/g, '');
}

/** Keeps the number of characters, so that positions in the page do not change. */
function blank(text: string): string {
  return ' '.repeat(text.length);
}
