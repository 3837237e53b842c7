// The blocks of a Markdown text as plain data: headings, paragraphs, lists, quotes, code, tables, rules. HTML is treated as text.
// Untrusted input: each line is read a bounded number of times, and nesting ends at MAX_DEPTH.

export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; start: number | undefined; items: Block[][] }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'rule' };

const MAX_DEPTH = 6;

const fence = /^ {0,3}(`{3,}|~{3,})/;
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const quote = /^ {0,3}> ?/;
const item = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+|$)/;
const tableRule = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

export function readBlocks(text: string): Block[] {
  return blocksOf(text.split(/\r?\n/), 0);
}

function blocksOf(lines: readonly string[], depth: number): Block[] {
  if (depth > MAX_DEPTH) return [{ kind: 'paragraph', text: lines.join('\n') }];
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const [block, next] = blockAt(lines, at, depth);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

/** Returns the block that begins at a line, and the line of the next block. */
function blockAt(lines: readonly string[], at: number, depth: number): [Block | undefined, number] {
  const line = lines[at]!;
  if (line.trim() === '') return [undefined, at + 1];
  const open = fence.exec(line);
  if (open) return codeAt(lines, at, open[1]!);
  const title = heading.exec(line);
  if (title) return [{ kind: 'heading', level: title[1]!.length, text: title[2]! }, at + 1];
  if (rule.test(line)) return [{ kind: 'rule' }, at + 1];
  if (quote.test(line)) {
    const end = endOf(lines, at, (one) => quote.test(one));
    const inner = lines.slice(at, end).map((one) => one.replace(quote, ''));
    return [{ kind: 'quote', blocks: blocksOf(inner, depth + 1) }, end];
  }
  if (item.test(line)) return listAt(lines, at, depth);
  if (isTable(lines, at)) return tableAt(lines, at);
  const end = endOf(lines, at + 1, (one, place) => one.trim() !== '' && !interrupts(one) && !isTable(lines, place));
  return [{ kind: 'paragraph', text: lines.slice(at, end).join('\n') }, end];
}

function interrupts(line: string): boolean {
  return [fence, heading, rule, quote, item].some((one) => one.test(line));
}

function endOf(lines: readonly string[], from: number, goesOn: (line: string, at: number) => boolean): number {
  let end = from;
  while (end < lines.length && goesOn(lines[end]!, end)) end++;
  return end;
}

function codeAt(lines: readonly string[], at: number, mark: string): [Block, number] {
  const end = endOf(lines, at + 1, (one) => !one.trim().startsWith(mark));
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1];
}

function listAt(lines: readonly string[], at: number, depth: number): [Block, number] {
  const first = item.exec(lines[at]!)!;
  const isOrdered = /\d/.test(first[2]!);
  const items: string[][] = [];
  let end = at;
  for (; end < lines.length; end++) {
    const line = lines[end]!;
    const found = item.exec(line);
    const continues = /^(?: {2,}|\t)/.test(line) || (line.trim() === '' && /^(?: {2,}|\t)/.test(lines[end + 1] ?? ''));
    if (found && found[1]!.length <= first[1]!.length + 1 && /\d/.test(found[2]!) === isOrdered) {
      items.push([line.slice(found[0].length)]);
    } else if (continues) {
      items.at(-1)!.push(line.replace(/^(?:\t| {1,4})/, ''));
    } else break;
  }
  const start = isOrdered ? Number.parseInt(first[2]!, 10) : undefined;
  return [{ kind: 'list', start, items: items.map((one) => blocksOf(one, depth + 1)) }, end];
}

function isTable(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1];
  return lines[at]!.includes('|') && next?.includes('-') === true && next.includes('|') && tableRule.test(next);
}

function tableAt(lines: readonly string[], at: number): [Block, number] {
  const end = endOf(lines, at + 2, (one) => one.includes('|') && one.trim() !== '');
  return [{ kind: 'table', head: cellsOf(lines[at]!), rows: lines.slice(at + 2, end).map(cellsOf) }, end];
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const signs = [
  /^#{1,6} \S/m,
  /^\s*[-*+] \S.*\n\s*[-*+] \S/m,
  /^\d+[.)] \S.*\n\d+[.)] \S/m,
  /\*\*[^*\s][^*\n]*\*\*/,
  /\[[^\]\n]+\]\([^)\s]+\)/,
  /^> \S/m,
];
const sureSigns = [/^ {0,3}```[\s\S]*?^ {0,3}```/m, /^\|.*\|\s*\n\|[\s:|-]+\|\s*$/m];

/** A heuristic that needs several marks: a single one may be a script comment or a list in a log. */
export function looksLikeMarkdown(text: string): boolean {
  const start = text.slice(0, 8_000);
  if (/^\s*[{[<]/.test(start)) return false;
  return sureSigns.some((sign) => sign.test(start)) || signs.filter((sign) => sign.test(start)).length >= 2;
}
