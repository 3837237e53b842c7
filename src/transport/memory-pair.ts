// Two transports joined in memory, byte for byte as over a pipe: for tests of whatever sits on a transport.

import { duplexPair } from 'node:stream';
import { StreamTransport, type StreamTransportOptions } from './stream-transport.ts';

export function memoryPair(options: StreamTransportOptions = {}): [StreamTransport, StreamTransport] {
  const [left, right] = duplexPair();
  return [StreamTransport.over(left, options), StreamTransport.over(right, options)];
}
