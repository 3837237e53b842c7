// Why a connection could not be opened: which step it was, what the server did, and what is known of it.

import { type Evidence, PeerError, ProcessError, RpcCode, RpcError, StandpipeError } from '../../base/errors.ts';
import type { Channel } from '../../jsonrpc/channel.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import type { Step } from './negotiation.ts';

export function connectError(step: Step, error: unknown, channel: Channel, startupTimeoutMs: number): unknown {
  if (!(error instanceof StandpipeError)) return error;
  const evidence = channel.evidence?.();
  if (error instanceof RpcError && isEcho(error)) {
    return new PeerError('NEGOTIATION_FAILED', `Could not connect: the command echoes its input (${step} came back)`, {
      cause: error,
      evidence,
      hint: 'It is no server. Name the program that is one; with `cat`, a shell or a terminal in between, leave that out.',
    });
  }
  if (error instanceof RpcError) {
    return new RpcError(
      error.rpcCode,
      `Could not connect: the server refused ${step}: ${error.message}`,
      error.data,
      details(error, evidence, 'The server is there, but does not want to be opened this way; its message says why.'),
    );
  }
  const { closeError } = channel;
  if (closeError instanceof ProcessError) return died(step, closeError);
  if (error instanceof PeerError && error.code === 'REQUEST_TIMEOUT') {
    return new PeerError(
      'REQUEST_TIMEOUT',
      `Could not connect: no answer to ${step} within ${startupTimeoutMs} ms`,
      details(error, evidence, evidence?.firstNoise === undefined ? `${SLOW} ${OTHER_PROTOCOL}` : SLOW),
    );
  }
  if (error instanceof PeerError) {
    const code = gone.has(error.code) ? 'CONNECTION_CLOSED' : error.code;
    return new PeerError(code, `Could not connect (${step}): ${error.message}`, details(error, evidence));
  }
  return error;
}

const SLOW = 'Raise startupTimeoutMs if it starts slowly; its stderr may say what it waits for.';
const OTHER_PROTOCOL =
  'If it speaks LiteMCP, say so: "protocol": "litemcp" in its entry of the config, --protocol litemcp on the command line.';

/** Our own questions are nothing that a server asks: whoever sends them back gets an answer that is known again. */
const ECHO = 'standpipe: your own question';

export function markEchoes(peer: Pick<Peer, 'handle'>): void {
  for (const method of ['server/discover', 'initialize'] satisfies Step[]) {
    peer.handle(method, () => {
      throw new RpcError(RpcCode.methodNotFound, 'Method not found', ECHO);
    });
  }
}

function isEcho({ data }: RpcError): boolean {
  return data === ECHO;
}

/** For a request these say whether it may have run; nobody wants to know that of an opening. */
const gone = new Set(['OUTCOME_UNKNOWN', 'NOT_SENT']);

function died(step: Step, cause: ProcessError): ProcessError {
  const { code, hint, evidence } = cause;
  return new ProcessError(code, `Could not connect (${step}): ${cause.message}`, { cause, hint, evidence });
}

function details(cause: StandpipeError, evidence: Evidence | undefined, hint?: string) {
  return {
    cause,
    evidence: evidence ?? cause.evidence,
    hint: cause.code === 'REQUEST_TIMEOUT' ? hint : (cause.hint ?? hint),
  };
}

/** A transport that somebody else opened cannot be opened again. */
export function cannotReopen(cause: unknown): PeerError {
  const evidence = cause instanceof StandpipeError ? cause.evidence : undefined;
  return new PeerError(
    'CONNECTION_CLOSED',
    'Could not connect: the server ended when it was asked server/discover, and this transport cannot be opened again',
    {
      cause,
      evidence,
      hint: "It is probably a legacy server: pass era: 'legacy', or a command or a function that makes the transport.",
    },
  );
}
