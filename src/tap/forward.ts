// One way of a pipe through a pipe: every chunk goes on as it comes, byte for byte. The writer is held back when the
// reader is slow; the end is passed on; and when the reader is gone, the writer finds its pipe closed, as it would have.
// `seen` gets each chunk after it was handed on. It must not throw, and nobody may write into the chunk.

import type { Readable, Writable } from 'node:stream';

/** `broken`: whoever should read is gone. */
export type ForwardEnd = 'ended' | 'broken';

/** Resolves when nothing more will be handed on, and all that was is with the system. */
export function forward(source: Readable, sink: Writable, seen: (chunk: Buffer) => void): Promise<ForwardEnd> {
  return new Promise((resolve) => {
    let isWaiting = false;
    source.on('data', (chunk: Buffer) => {
      // What the system took at once is gone already, whatever the size: only what is left over is reason to wait.
      if (!sink.write(chunk) && sink.writableLength > 0) {
        source.pause();
        // Node.js resumes the streams of a process that has exited, so that more chunks can come while the sink is full.
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
