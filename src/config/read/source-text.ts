// The text of a config and the positions in it. A byte order mark is skipped and is not a column.

import type { Position } from '../problem.ts';
import type { JsonDocument } from './json-document.ts';

export interface SourceText {
  text: string;
  at(node: { offset: number }): Position;
  /** `line` counts from 1, `column` from 0. */
  offsetOf(position: { line: number; column: number }): number;
  /** A document without a tree, for a syntax error. */
  faulty(offset: number, message: string, suggestion?: string): JsonDocument;
}

export function sourceText(fileText: string, file: string): SourceText {
  const text = fileText.replace(/^\uFEFF/, '');
  const lineStarts = [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((end) => end.index + end[0].length)];
  const at = ({ offset }: { offset: number }): Position => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    return { file, line: line + 1, column: offset - lineStarts[line]! + 1 };
  };
  return {
    text,
    at,
    offsetOf: ({ line, column }) => (lineStarts[line - 1] ?? 0) + column,
    faulty: (offset, message, suggestion) => ({
      file,
      root: undefined,
      fault: { ...at({ offset }), message, suggestion },
      at,
    }),
  };
}
