// Compares two texts and returns one block in the style of `diff -u`, from the first line that differs to the last one, with context.
// One block is enough because changes of a config are close together.

const CONTEXT = 3;

export function diffLines(before: string, after: string): string[] {
  if (before === after) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const from = Math.max(0, start - CONTEXT);
  const around = Math.min(end, CONTEXT);
  return [
    ...old.slice(from, start).map((line) => ` ${line}`),
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...now.slice(start, now.length - end).map((line) => `+${line}`),
    ...now.slice(now.length - end, now.length - end + around).map((line) => ` ${line}`),
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
