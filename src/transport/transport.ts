// What every transport of ours is: the official SDK's `Transport`, structurally, with more to say. Users can put ours
// under the official `Client` and `McpServer`, and theirs under our peer.

import type { Clock } from '../base/clock.ts';
import type { Evidence } from '../base/errors.ts';
import type { Framing } from '../framing/framing.ts';
import type { Channel, InboundFault, Noise } from '../jsonrpc/channel.ts';
import type { JsonRpcMessage } from '../jsonrpc/message.ts';

export interface Transport extends Channel {
  /** The official SDK calls this once the revision is known. Batches are read only where it allows them. */
  setProtocolVersion?: ((version: string) => void) | undefined;
  sessionId?: string | undefined;

  onmessage?: (<T extends JsonRpcMessage>(message: T, extra?: object) => void) | undefined;
  onfault?: ((fault: InboundFault) => void) | undefined;
  /** A line on a child's stdout that is no message. */
  onnoise?: ((noise: Noise) => void) | undefined;
  readonly closeError?: Error | undefined;
  evidence?(): Evidence;
}

export interface TransportOptions {
  /** How messages are told apart on the pipe. Newlines, as MCP has it, unless said otherwise. */
  framing?: Framing;
  /** The most bytes one inbound message may have; a longer one fails alone. */
  maxFrameBytes?: number;
  /** How much may wait for an end that does not read, in characters of JSON, before `send` is refused. */
  maxQueuedChars?: number;
  /** For tests: the clock that all waits are measured by. */
  clock?: Clock;
}
