// Prints the content of a result. Text goes to stdout; bytes are saved with --output, and described otherwise.

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../base/json-object.ts';
import { visibleJson, visibleLine } from '../../../base/terminal/visible.ts';
import { isKnownBlock } from '../../../mcp/client/known-content.ts';
import type { CallToolResult, ContentBlock } from '../../../mcp/types.ts';
import type { Output } from '../output/output.ts';
import { describePiece, type Piece, savePieces } from './save-content.ts';

interface Part {
  text?: string;
  piece?: Piece;
  what: string;
}

/** Resolves to the saved files. */
export async function printContent(
  blocks: readonly ContentBlock[],
  structured: unknown,
  output: string | undefined,
  out: Output,
): Promise<string[]> {
  const parts = blocks.map(readBlock);
  const pieces = parts.flatMap(({ piece }) => (piece ? [piece] : []));
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]));
  // Servers repeat structured content as text for clients that do not support it.
  const isRepeated = structured !== undefined && texts.length > 0 && texts.every((text) => repeats(text, structured));
  const shown = isRepeated ? [] : texts;
  if (structured !== undefined) shown.push(visibleJson(structured));
  if (output !== undefined && pieces.length === 0) {
    return saved(await savePieces([{ mimeType: 'text/plain', bytes: Buffer.from(shown.join('\n')) }], output), out);
  }
  if (!out.json) for (const text of shown) out.text(text.endsWith('\n') ? text : `${text}\n`);
  if (output !== undefined) return saved(await savePieces(pieces, output), out);
  for (const { piece, what } of parts) if (piece) out.say(visibleLine(describePiece(piece, what)));
  return [];
}

/** The error message of a tool, as one text. */
export function errorText({ content }: CallToolResult): string {
  const texts = content
    .map(readBlock)
    .flatMap(({ text, piece, what }) => text ?? (piece ? describePiece(piece, what) : []));
  return texts.join('\n');
}

/** A block that cannot be read is shown as JSON. */
export function readBlock(block: ContentBlock): Part {
  if (!isKnownBlock(block)) return { what: 'content', text: visibleJson(block) };
  switch (block.type) {
    case 'text':
      return { what: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { what: block.type, piece: { mimeType: block.mimeType, bytes: Buffer.from(block.data, 'base64') } };
    case 'resource_link':
      return { what: 'link', text: block.name === undefined ? block.uri : `${block.name}: ${block.uri}` };
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return { what: 'resource', text: resource.text };
      return { what: 'resource', piece: { mimeType: resource.mimeType, bytes: Buffer.from(resource.blob, 'base64') } };
    }
  }
}

function saved(files: string[], out: Output): string[] {
  for (const file of files) out.say(`Saved ${visibleLine(file)}`);
  return files;
}

/** Whether the text is the JSON of the value or of its only member: libraries wrap a list in an object for structured content. */
function repeats(text: string, structured: unknown): boolean {
  const members = isObject(structured) ? Object.values(structured) : [];
  try {
    const value: unknown = JSON.parse(text);
    return isDeepStrictEqual(value, structured) || (members.length === 1 && isDeepStrictEqual(value, members[0]));
  } catch {
    return false; // not JSON, so not a copy
  }
}
