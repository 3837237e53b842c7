// Builds the error of a failed connect: the step that failed, the behaviour of the server, and its evidence.

import { type Evidence, PeerError, ProcessError, RpcCode, RpcError, StandpipeError } from '../../../base/errors.ts';
import { firstChars } from '../../../base/first-chars.ts';
import { slowStartHint } from '../../../wire/diagnosis/advice.ts';
import { diagnose } from '../../../wire/diagnosis/diagnose.ts';
import { diagnoseHttp } from '../../../wire/diagnosis/http.ts';
import type { Diagnosis } from '../../../wire/diagnosis/symptoms.ts';
import type { Peer } from '../../../wire/jsonrpc/peer.ts';
import type { ClientChannel } from '../options.ts';
import type { Step } from './negotiation.ts';

const MOST_SAID_CHARS = 2000;

export interface FailedStart {
  /** The request that was pending. */
  step: Step;
  /** The channel is already closed, because output that arrives when stdin ends is evidence too. */
  channel: ClientChannel;
  /** The evidence at the time of the failure. */
  evidence: Evidence | undefined;
  startupTimeoutMs: number;
}

export function connectError(error: unknown, { step, channel, evidence, startupTimeoutMs }: FailedStart): unknown {
  if (!(error instanceof StandpipeError)) return error;
  if (error instanceof RpcError && isEcho(error)) {
    return new PeerError(
      'NEGOTIATION_FAILED',
      `Could not connect: the command echoes its input (it wrote ${step} back)`,
      {
        cause: error,
        evidence,
        hint: 'The command is not a server. Use the command of the server itself, without `cat`, a shell or a terminal in between.',
      },
    );
  }
  const failed = evidence?.url === undefined ? 'Could not connect' : `Could not connect to ${evidence.url}`;
  if (error instanceof RpcError) {
    return new RpcError(
      error.rpcCode,
      `${failed}: the server refused ${step}: ${beginningOf(error.message)}`,
      error.data,
      details(
        error,
        evidence,
        'The server is running and refuses this connection; its error message shows the reason.',
      ),
    );
  }
  const { closeError } = channel;
  if (closeError instanceof ProcessError) return died(step, closeError);
  if (!(error instanceof PeerError)) return error;
  if (error instanceof HopelessStart) {
    return new PeerError(
      'NEGOTIATION_FAILED',
      `Could not connect: ${error.message}`,
      diagnosed(error, evidence, error.found),
    );
  }
  const found = diagnosisOf(channel);
  if (error.code === 'REQUEST_TIMEOUT') {
    const message = `${failed}: no answer to ${step} within ${startupTimeoutMs} ms`;
    if (found) {
      const late = orSlow(found);
      return new PeerError(
        'REQUEST_TIMEOUT',
        `${message}: the server ${late.problem}`,
        diagnosed(error, evidence, late),
      );
    }
    const slow = slowStartHint(evidence);
    const ofCommand = evidence?.firstNoise === undefined ? `${slow} ${OTHER_PROTOCOL}` : slow;
    const hint = evidence?.url === undefined ? ofCommand : SLOW_ADDRESS;
    return new PeerError('REQUEST_TIMEOUT', message, details(error, evidence, hint));
  }
  const code = gone.has(error.code) ? 'CONNECTION_CLOSED' : error.code;
  if (found?.isFinal)
    return new PeerError(code, `${failed}: the server ${found.problem}`, diagnosed(error, evidence, found));
  const message = `${failed} (${step}): ${beginningOf(error.message)}`;
  if (found) return new PeerError(code, message, { ...diagnosed(error, evidence, found), hint: told(found) });
  return new PeerError(code, message, details(error, evidence));
}

/**
 * Limits the text in the log: a server that is retried repeatedly could send a long text each time. The cause keeps the
 * whole text.
 */
function beginningOf(text: string): string {
  return text.length <= MOST_SAID_CHARS ? text : `${firstChars(text, MOST_SAID_CHARS)}…`;
}

function diagnosisOf(channel: ClientChannel): Diagnosis | undefined {
  const symptoms = channel.symptoms?.();
  if (symptoms) return diagnose(symptoms);
  const http = channel.httpSymptoms?.();
  return http && diagnoseHttp(http);
}

/** Thrown before the timeout, if the output of the server proves that a valid answer is impossible. */
class HopelessStart extends PeerError {
  readonly found: Diagnosis;

  constructor(found: Diagnosis) {
    super('NEGOTIATION_FAILED', `the server ${found.problem}`);
    this.found = found;
  }
}

export function hopelessStart(found: Diagnosis): never {
  throw new HopelessStart(found);
}

/**
 * Adds a slow start to the diagnosis: the answer may have followed the end of stdin by chance, and nothing shows which
 * of the two happened.
 */
function orSlow(found: Diagnosis): Diagnosis {
  if (found.name !== 'missing-flush') return found;
  return {
    ...found,
    problem:
      'answered later, after its stdin was closed: it starts slowly, or does not flush stdout, or reads stdin to the end first',
    fix: `Raise startupTimeoutMs: a server that starts slowly then answers. If it does not: ${found.fix}`,
  };
}

function told({ problem, fix }: Diagnosis): string {
  return `The server ${problem}. ${fix}`;
}

function diagnosed(cause: PeerError, known: Evidence | undefined, { name, fix }: Diagnosis) {
  const evidence = known ?? cause.evidence;
  return { cause, evidence: evidence && { ...evidence, diagnosis: name }, hint: fix };
}

const SLOW_ADDRESS = 'Raise startupTimeoutMs if it is slow; check that the url is that of an MCP server.';
const OTHER_PROTOCOL =
  'If it is a LiteMCP server, set "protocol": "litemcp" in its config entry, --litemcp on the command line.';

/** A command that echoes its input sends our requests back. They are answered with this mark, which is then echoed too. */
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

/** For `initialize` and `server/discover` it does not matter whether the request ran. */
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

/** The error for a transport that was passed to `connect` and cannot be opened a second time. */
export function cannotReopen(cause: unknown): PeerError {
  const evidence = cause instanceof StandpipeError ? cause.evidence : undefined;
  return new PeerError(
    'CONNECTION_CLOSED',
    'Could not connect: the server ended at server/discover, and this transport cannot be opened again',
    {
      cause,
      evidence,
      hint: "The server is probably a legacy one: pass era: 'legacy', or a command or a function that makes the transport.",
    },
  );
}
