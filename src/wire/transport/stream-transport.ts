// Message transport over any pair of byte streams, or over one duplex stream such as a socket.

import { type Duplex, duplexPair, type Readable, type Writable } from 'node:stream';
import { MessageTransport } from '../jsonrpc/message-transport.ts';
import type { WireOptions } from '../wire.ts';
import { StreamWire } from './stream-wire.ts';

export interface StreamTransportOptions extends WireOptions {
  /** True: ignore non-protocol text, as on a child's stdout. False: report it as a fault. */
  toleratesNoise?: boolean;
}

export class StreamTransport extends MessageTransport {
  constructor(input: Readable, output: Writable, options: StreamTransportOptions = {}) {
    super(new StreamWire(input, output, options), { toleratesNoise: false, ...options });
  }

  static over(stream: Duplex, options?: StreamTransportOptions): StreamTransport {
    return new StreamTransport(stream, stream, options);
  }
}

/** Two transports joined in memory, byte for byte as over a pipe. Used in tests of code that uses a transport. */
export function memoryPair(options: StreamTransportOptions = {}): [StreamTransport, StreamTransport] {
  const [left, right] = duplexPair();
  return [StreamTransport.over(left, options), StreamTransport.over(right, options)];
}
