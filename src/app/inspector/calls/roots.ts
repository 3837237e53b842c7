// The roots that the page announces to servers: URIs of folders, with names.

import { isObject } from '../../../base/json-object.ts';
import type { Root } from '../../../mcp/types.ts';
import { HttpProblem } from '../../../wire/http/http-problem.ts';

const MOST_ROOTS = 100;
const LONGEST = 4_000;

/** Throws an HttpProblem if the body is invalid. */
export function readRoots(body: unknown): Root[] {
  const given = isObject(body) ? body.roots : undefined;
  if (!Array.isArray(given) || given.length > MOST_ROOTS) {
    throw new HttpProblem(400, `"roots" must be a list of at most ${MOST_ROOTS} roots`);
  }
  return given.map((root) => {
    const { uri, name } = isObject(root) ? root : {};
    if (typeof uri !== 'string' || uri.length > LONGEST || !URL.canParse(uri)) {
      throw new HttpProblem(400, 'Each root needs a "uri", for example file:///home/user/project');
    }
    if (name !== undefined && (typeof name !== 'string' || name.length > LONGEST)) {
      throw new HttpProblem(400, 'The "name" of a root must be a string');
    }
    return { uri, ...(name && { name }) };
  });
}
