// Paths of values in JSON, with wildcards.

/** `params.arguments.card`, `result.content.*.text`, `**.ssn`: `*` is one key or index, `**` any number of them; `$.` at the start is optional. */
export type JsonPath = readonly string[];

export function parseJsonPath(path: string): JsonPath {
  return path
    .replace(/^\$\.?/, '')
    .replaceAll(/\[(\d+|\*)\]/g, '.$1')
    .split('.')
    .filter((step) => step !== '');
}

/** The remaining steps of each path that can still match. */
export type PathsLeft = readonly JsonPath[];

export function stepInto(left: PathsLeft, key: string): PathsLeft {
  const next: JsonPath[] = [];
  for (const path of left) {
    if (path[0] === '**') {
      next.push(path);
      if (path[1] === key || path[1] === '*') next.push(path.slice(2));
    } else if (path[0] === key || path[0] === '*') {
      next.push(path.slice(1));
    }
  }
  return next;
}

export function isAtEnd(left: PathsLeft): boolean {
  return left.some((path) => path.length === 0 || (path.length === 1 && path[0] === '**'));
}
