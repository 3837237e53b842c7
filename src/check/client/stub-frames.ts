// Frames between the server stub and the checker: a letter, a length and that many bytes.

export const fromStub = {
  /** The process id. */
  started: 's',
  stdin: 'i',
  stdinEnded: 'e',
  /** The name of a received signal. */
  signal: 'g',
  /** All previous output is in the pipes of the client. */
  written: 'w',
  /** The client has closed its end of stdout or stderr. */
  broken: 'b',
  alive: 'a',
  /** The last frame of a process that exits by itself. */
  exits: 'x',
} as const;

export const toStub = {
  stdout: 'o',
  stderr: 'r',
  /** Exit with this code, a number as text. */
  exit: 'x',
  /** The stub answers with `written`. */
  flush: 'f',
  /** The stub answers with `alive`. */
  ask: 'a',
} as const;

const HEADER_BYTES = 5;

export function stubFrame(letter: string, payload: Uint8Array | string = ''): Buffer {
  const bytes = Buffer.from(payload as string);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes.length);
  frame.write(letter, 0, 'latin1');
  frame.writeUInt32BE(bytes.length, 1);
  bytes.copy(frame, HEADER_BYTES);
  return frame;
}

/** Limit of a frame: many times the size of a pipe. It protects against another program that connects instead of the server stub. */
const MOST_FRAME_BYTES = 16 * 1024 * 1024;

/** Returns a function that accepts chunks. `onexcess`: called for a frame over the limit, which the server stub never sends. */
export function stubFrameReader(
  onframe: (letter: string, payload: Buffer) => void,
  onexcess: () => void = () => undefined,
): (chunk: Buffer) => void {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let neededBytes = HEADER_BYTES;
  return (chunk) => {
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes < neededBytes) return;
    const bytes = Buffer.concat(waiting);
    let from = 0;
    neededBytes = HEADER_BYTES;
    while (bytes.length - from >= HEADER_BYTES) {
      const end = from + HEADER_BYTES + bytes.readUInt32BE(from + 1);
      neededBytes = end - from;
      if (neededBytes > MOST_FRAME_BYTES + HEADER_BYTES) return onexcess();
      if (end > bytes.length) break;
      onframe(bytes.toString('latin1', from, from + 1), bytes.subarray(from + HEADER_BYTES, end));
      from = end;
      neededBytes = HEADER_BYTES;
    }
    waiting = [bytes.subarray(from)];
    waitingBytes = bytes.length - from;
  };
}
