// Where a child's stderr goes. It is always drained, whatever the choice: a child must never block because nobody reads
// its logs. No line is taken for an error just because it stands there.

import { PassThrough, type Readable } from 'node:stream';
import { toError } from '../base/errors.ts';

/**
 * `inherit`: on to our own stderr. `pipe`: readable at `transport.stderr`. `ignore`: kept only for error evidence.
 * A function gets each chunk.
 */
export type StderrChoice = 'inherit' | 'pipe' | 'ignore' | ((chunk: Buffer) => void);

/** How much may wait for a reader of stderr; beyond that, what is new is dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

export interface StderrOutlet {
  /** For `pipe`, there from the beginning, before the child is. */
  readonly stream: Readable | null;
  connect(stderr: Readable): void;
}

export function stderrOutlet(choice: StderrChoice, report: (error: Error) => void): StderrOutlet {
  if (choice === 'ignore') return { stream: null, connect: () => undefined };
  if (choice === 'inherit') {
    const forward = (chunk: Buffer) => {
      if (process.stderr.writableLength < MAX_WAITING_BYTES) process.stderr.write(chunk);
    };
    return { stream: null, connect: (stderr) => stderr.on('data', forward) };
  }
  if (typeof choice === 'function') {
    const guarded = (chunk: Buffer) => {
      try {
        choice(chunk);
      } catch (error) {
        report(toError(error));
      }
    };
    return { stream: null, connect: (stderr) => stderr.on('data', guarded) };
  }
  const stream = new PassThrough();
  return {
    stream,
    connect(stderr) {
      stderr.on('data', (chunk: Buffer) => {
        if (stream.writableLength + stream.readableLength < MAX_WAITING_BYTES) stream.write(chunk);
      });
      stderr.once('close', () => stream.end());
    },
  };
}
