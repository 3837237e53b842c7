// `standpipe/testing`: helpers for testing code that uses a transport.

export { type Clock, ManualClock, type Timer } from '../base/clock.ts';
export { memoryPair } from '../wire/transport/stream-transport.ts';
