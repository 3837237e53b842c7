// `standpipe/testing`: what helps to test code that sits on a transport.

export { type Clock, ManualClock, type Timer } from '../base/clock.ts';
export { memoryPair } from '../transport/stream-transport.ts';
