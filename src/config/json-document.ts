// Parses the text of a config into a tree with positions. JSON with comments and trailing commas; a byte order mark is skipped and
// is not a column. A text with a syntax error has no tree: a partial config is worse than the previous one.

import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { explainFault } from './json-faults.ts';
import type { Position } from './problem.ts';

export interface JsonFault extends Position {
  message: string;
  suggestion?: string;
}

export interface JsonDocument {
  file: string;
  /** Undefined if and only if there is a fault. */
  root: Node | undefined;
  fault: JsonFault | undefined;
  at(node: { offset: number }): Position;
}

export function parseDocument(fileText: string, file: string): JsonDocument {
  const text = fileText.replace(/^\uFEFF/, '');
  const lineStarts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((end) => end.index + end[0].length)];
  const at = ({ offset }: { offset: number }): Position => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    return { file, line: line + 1, column: offset - lineStarts[line]! + 1 };
  };
  const faulty = (offset: number, message: string, suggestion?: string): JsonDocument => ({
    file,
    root: undefined,
    fault: { ...at({ offset }), message, suggestion },
    at,
  });

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
    return faulty(0, 'Not a config: it is nested too deeply');
  }
}
