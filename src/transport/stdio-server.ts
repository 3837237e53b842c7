// This process as a server: messages come in on stdin and go out on stdout. While it runs, stdout is the protocol's alone
// (prints go to stderr) and no child of ours gets the protocol's streams. When stdin ends, answers in flight may finish,
// are written, and the process exits, whatever timers it still has.

import type { Readable } from 'node:stream';
import type { JsonRpcMessage, RequestId } from '../jsonrpc/message.ts';
import { guardChildren } from '../process/guard-children.ts';
import { type ProtocolStreams, takeOverStdio } from '../process/own-streams.ts';
import { ByteTransport } from './byte-transport.ts';
import type { TransportOptions } from './transport.ts';

export interface StdioServerOptions extends TransportOptions {
  /** How long answers in flight may take after stdin has ended. */
  drainMs?: number;
  /** Whether the process exits when stdin has ended. Yes, unless the caller has other plans for it. */
  exitOnEnd?: boolean;
}

const FLUSH_WAIT_MS = 500;
