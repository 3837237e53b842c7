// Forwards one direction: every chunk as it arrives, byte for byte. Backpressure and the end are passed on. If the reader has
// closed its pipe, the pipe of the writer is closed too.
// `seen` gets each chunk after it was forwarded. It must not throw, and must not modify the chunk.

import type { Readable, Writable } from 'node:stream';

/** `broken`: the reader has closed its pipe. */
export type ForwardEnd = 'ended' | 'broken';

/** Resolves when the direction has ended and all data was passed to the system. */
export function forward(source: Readable, sink: Writable, seen: (chunk: Buffer) => void): Promise<ForwardEnd> {
  return new Promise((resolve) => {
    let isWaiting = false;
    source.on('data', (chunk: Buffer) => {
      // Data that the system accepted at once needs no wait, whatever its size: wait only for the rest.
      if (!sink.write(chunk) && sink.writableLength > 0) {
        source.pause();
        // Node.js resumes the streams of a process that has exited, so that more chunks can arrive while the sink is full.
        if (!isWaiting) sink.once('drain', drained);
        isWaiting = true;
      }
      seen(chunk);
    });
    const drained = () => {
      isWaiting = false;
      source.resume();
    };
    let over = false;
    const ended = () => {
      if (!over) sink.end(() => resolve('ended'));
      over = true;
    };
    source.once('end', ended);
    source.on('error', ended); // a pipe that cannot be read has ended
    source.once('close', ended);
    sink.on('error', () => {
      over = true;
      source.destroy();
      resolve('broken');
    });
  });
}
