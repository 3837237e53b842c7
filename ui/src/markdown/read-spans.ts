// The content of a line of Markdown: code, strong, emphasis, deletions, links and pictures, as plain data.

export type Span =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'emphasis' | 'deleted'; spans: Span[] }
  | { kind: 'link' | 'picture'; text: string; address: string };

/** Limit in characters. Longer lines are shown as source, because the search for an unclosed mark reads to the end. */
const LONGEST = 4_000;
const MAX_DEPTH = 4;

const mark =
  /(`+)(.+?)\1(?!`)|(!?)\[([^\]]*)\]\(([^)\s]*)(?:\s+"[^"]*")?\)|(\*\*|__)(?=\S)(.+?)(?<=\S)\6|~~(?=\S)(.+?)(?<=\S)~~|(?<!\w)([*_])(?=\S)(.+?)(?<=\S)\9(?!\w)|\\([!-/:-@[-`{-~])/s;

export function readSpans(text: string, depth = 0): Span[] {
  if (text.length > LONGEST || depth > MAX_DEPTH) return [{ kind: 'text', text }];
  const spans: Span[] = [];
  let rest = text;
  for (let found = mark.exec(rest); found; found = mark.exec(rest)) {
    if (found.index > 0) spans.push({ kind: 'text', text: rest.slice(0, found.index) });
    spans.push(spanOf(found, depth));
    rest = rest.slice(found.index + found[0].length);
  }
  if (rest !== '') spans.push({ kind: 'text', text: rest });
  return spans;
}

function spanOf(found: RegExpExecArray, depth: number): Span {
  const [, , code, picture, label, address, , strong, deleted, , emphasis, escaped] = found;
  if (code !== undefined) return { kind: 'code', text: code };
  if (address !== undefined) return { kind: picture ? 'picture' : 'link', text: label!, address };
  if (strong !== undefined) return { kind: 'strong', spans: readSpans(strong, depth + 1) };
  if (deleted !== undefined) return { kind: 'deleted', spans: readSpans(deleted, depth + 1) };
  if (emphasis !== undefined) return { kind: 'emphasis', spans: readSpans(emphasis, depth + 1) };
  return { kind: 'text', text: escaped! };
}
