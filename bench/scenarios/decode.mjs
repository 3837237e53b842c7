// Splits chunks into lines, without a pipe. The official reader includes `JSON.parse` and its schema check, so our
// decoder is measured with `JSON.parse` too; `newline()` itself returns bytes.

import { decoders } from '../contenders/decoders.mjs';
import { KB, MB, payload } from '../payload.mjs';

export const title = 'newline decoding alone';
export const contenders = decoders;
export const ratios = [
  ['newline()', 'naive'],
  ['newline()+parse', 'naive+parse'],
  ['newline()+parse', 'ReadBuffer'],
];
export const metrics = [{ key: 'mbPerSecond', label: 'MB/s', digits: 0 }];

export function cases({ quick }) {
  const durationMs = quick ? 50 : 200;
  return [
    { label: '4 KB chunks, 100 B texts', chunkBytes: 4 * KB, textBytes: 100, durationMs },
    { label: '64 KB chunks, 100 B texts', chunkBytes: 64 * KB, textBytes: 100, durationMs },
    { label: '64 KB chunks, 1 MB texts', chunkBytes: 64 * KB, textBytes: MB, durationMs },
  ];
}

export async function measure(contender, { chunkBytes, textBytes, durationMs }) {
  const { chunks, lines } = stream(chunkBytes, textBytes);
  const { createDecoder } = await contender.load();
  decodeFor(createDecoder, chunks, lines, durationMs / 2);
  const { bytes, elapsedMs } = decodeFor(createDecoder, chunks, lines, durationMs);
  return { mbPerSecond: bytes / MB / (elapsedMs / 1000) };
}

/** About 4 MB of messages, cut as a pipe would cut them. Each chunk owns its memory, like the chunks of a stream. */
function stream(chunkBytes, textBytes) {
  const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo', params: { text: payload(textBytes) } })}\n`;
  const lines = Math.ceil((4 * MB) / line.length);
  const all = new TextEncoder().encode(line.repeat(lines));
  const chunks = [];
  for (let at = 0; at < all.length; at += chunkBytes) chunks.push(Buffer.from(all.slice(at, at + chunkBytes).buffer));
  return { chunks, lines };
}

function decodeFor(createDecoder, chunks, lines, durationMs) {
  const bytesPerPass = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const startMs = performance.now();
  let bytes = 0;
  do {
    const decoder = createDecoder();
    let found = 0;
    for (const chunk of chunks) found += decoder.push(chunk);
    if (found !== lines) throw new Error(`${found} of ${lines} lines found`);
    bytes += bytesPerPass;
  } while (performance.now() - startMs < durationMs);
  return { bytes, elapsedMs: performance.now() - startMs };
}
