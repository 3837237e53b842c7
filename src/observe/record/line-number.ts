// The number of a line, for messages. Readers count bytes only.

import { createReadStream } from 'node:fs';

const LF = 0x0a;

/** The number of the line at this offset, from 1. */
export async function lineNumber(file: string, offset: number): Promise<number> {
  let line = 1;
  if (offset === 0) return line;
  for await (const chunk of createReadStream(file, { end: offset - 1 }) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) line++;
  }
  return line;
}
