// Detects the era of a server on one connection and opens it. Requests are never cancelled: if there is no answer, the request of
// the other era is sent too, and the first valid answer decides. Over HTTP requests are served independently, so one answer decides
// about its era.

import type { Clock } from '../../../base/clock.ts';
import { isUnauthorized, PeerError, RpcError, toError } from '../../../base/errors.ts';
import { SILENT, within } from '../../../base/wait.ts';
import type { Peer } from '../../../wire/jsonrpc/peer.ts';
import {
  isLegacyRevision,
  type LegacyRevision,
  type ModernRevision,
  NEWEST_LEGACY,
  NEWEST_MODERN,
  type Revision,
} from '../../revisions.ts';
import type { ServiceFacts } from '../../service.ts';
import type { ClientCapabilities, Implementation } from '../../types.ts';
import { makeEnvelope } from '../session/modern-session.ts';
import { openTranscript, readTranscriptServer, speaksTranscript } from '../session/transcript-dialect.ts';
import { asResult, knownRevisions, readRevision, readServer } from '../tolerated-results.ts';
import type { Warn } from '../warnings.ts';
import type { KnownEra } from './era-memory.ts';
import {
  isModernRefusal,
  judgeProbe,
  NAME_VERSIONS,
  type ProbeAnswer,
  revisionNamedIn,
  type Verdict,
} from './probe.ts';
import { untilUp } from './until-up.ts';

export interface Agreement {
  revision: Revision;
  server: ServiceFacts;
  dialect?: 'transcript';
  /** The era to try first the next time. */
  remember: KnownEra;
}

export interface NegotiationOptions {
  peer: Peer;
  isClosed: () => boolean;
  clock: Clock;
  info: Implementation;
  modernCapabilities: ClientCapabilities;
  legacyCapabilities: ClientCapabilities;
  /** The only revision to use, if set. */
  revision: Revision | undefined;
  /** HTTP: one request does not affect how another is served. */
  isPerRequest: boolean;
  /** The era whose request is sent first. */
  first: KnownEra;
  /** Whether the other era may be tried if the first does not work. */
  mayFallBack: boolean;
  /** How long to wait for the answer to the probe. */
  patienceMs: number;
  /** How long to wait for the probe after another answer has arrived. */
  probeTimeoutMs: number;
  /** Clock time at which the start times out. */
  dueMs: number;
  /** Clock time until which `initialize` may be delayed for a process that is starting. */
  initializeByMs: number;
  /** The output of the process so far. Undefined if there is no process, or it is not ours. */
  output: () => string | undefined;
  /** Whether the output rules out a valid answer. */
  isHopeless: () => boolean;
  warn: Warn;
}

/** If two answers arrive within this time, their requests waited for the same authorization. */
const CLOSE_MS = 500;

export type Step = 'server/discover' | 'initialize';

export class Negotiation {
  /** The last request sent. */
  step: Step = 'initialize';
  /** Whether `server/discover` was sent. Some servers exit because of it. */
  probed = false;
  readonly #options: NegotiationOptions;
  readonly #dropProbe = new AbortController();
  #isModern = false;

  /** Whether every request that does not depend on an earlier answer has been sent. */
  get hasAskedAll(): boolean {
    return this.step === 'initialize' || !this.#options.mayFallBack;
  }

  constructor(options: NegotiationOptions) {
    this.#options = options;
  }

  async run(): Promise<Agreement> {
    try {
      if (this.#options.first === 'modern') return await this.#probeFirst();
      return await this.#legacyFirst(this.#options.first);
    } finally {
      this.#dropProbe.abort(); // sends no cancellation; a late answer is ignored
    }
  }

  async #probeFirst(): Promise<Agreement> {
    const { clock, mayFallBack, patienceMs } = this.#options;
    const probe = this.#discover();
    const answer = mayFallBack ? await within(clock, patienceMs, probe) : await probe;
    const late = answer === SILENT ? await this.#untilUp(probe) : answer;
    if (late === SILENT) return this.#askBoth(probe);
    return this.#follow(this.#judge(late), late);
  }

  async #follow(verdict: Verdict, answer: ProbeAnswer): Promise<Agreement> {
    switch (verdict.kind) {
      case 'modern':
        return this.#modern(verdict);
      case 'ask-again': {
        const again = await this.#discover(verdict.revision);
        const second = this.#judge(again, verdict.revision);
        if (second.kind === 'modern') return this.#modern(second);
        throw failed(`it names revision ${verdict.revision} and refuses it`, again.error);
      }
      case 'unusable':
        throw failed(verdict.why, answer.error);
      case 'legacy':
        if (!this.#options.mayFallBack) throw answer.error ?? failed('it does not speak 2026-07-28');
        return this.#legacy(verdict.offer).catch((error: unknown) => {
          if (!verdict.why || !(error instanceof RpcError)) throw error;
          throw failed(`${verdict.why}, and it refused initialize: ${error.message}`, error, NAME_VERSIONS);
        });
    }
  }

  #untilUp(probe: Promise<ProbeAnswer>): Promise<ProbeAnswer | typeof SILENT> {
    const { peer, clock, output, isHopeless, probeTimeoutMs, initializeByMs } = this.#options;
    if (output() === undefined || isHopeless()) return Promise.resolve(SILENT);
    const { signal } = this.#dropProbe;
    return untilUp(probe, { peer, clock, output, signal, waitMs: probeTimeoutMs, latestMs: initializeByMs });
  }

  /** Sends `initialize` too, because the server is slow or does not answer the probe. */
  async #askBoth(probe: Promise<ProbeAnswer>): Promise<Agreement> {
    const { clock, probeTimeoutMs, isPerRequest } = this.#options;
    const opening = settled(this.#legacy());
    const first = await Promise.race([probe.then((answer) => ({ answer })), opening.then((opened) => ({ opened }))]);
    if ('answer' in first) {
      const verdict = this.#judge(first.answer);
      if (verdict.kind !== 'modern') return unwrap(await opening);
      if (isPerRequest) return this.#modern(verdict);
      const opened = await within(clock, probeTimeoutMs, opening);
      if (opened === SILENT || opened.error) return this.#modern(verdict);
      return this.#confirmModern(verdict, opened.result);
    }
    const { error } = first.opened;
    if (this.#dead || (!error && !isPerRequest)) return unwrap(first.opened);
    // Either a modern server refused and its answer to the probe is still on its way, or both requests waited for an authorization.
    const late = await within(clock, error ? probeTimeoutMs : Math.min(probeTimeoutMs, CLOSE_MS), probe);
    const verdict = late === SILENT || (late.error && !error) ? undefined : this.#judge(late);
    return verdict?.kind === 'modern' ? this.#modern(verdict) : unwrap(first.opened);
  }

  /**
   * Called if the server has answered `server/discover` and `initialize`. Some servers then serve modern requests in
   * the legacy session, which a second probe detects.
   */
  async #confirmModern(verdict: Verdict & { kind: 'modern' }, opened: Agreement): Promise<Agreement> {
    const again = await within(this.#options.clock, this.#options.probeTimeoutMs, this.#discover());
    if (again !== SILENT && this.#judge(again).kind === 'modern') return this.#modern(verdict);
    return { ...opened, remember: 'modern' };
  }

  async #legacyFirst(first: KnownEra): Promise<Agreement> {
    try {
      return first === 'transcript' ? await this.#transcript() : await this.#legacy();
    } catch (error) {
      if (!this.#options.mayFallBack || this.#dead || !this.#isRefusal(error)) throw error;
      // The remembered era is out of date.
      const answer = await within(this.#options.clock, this.#options.probeTimeoutMs, this.#discover());
      const verdict = answer === SILENT ? undefined : this.#judge(answer);
      if (verdict?.kind === 'modern') return this.#modern(verdict);
      if (first === 'transcript') return this.#legacy();
      throw error;
    }
  }

  /** The returned promise never rejects. */
  #discover(revision: ModernRevision = NEWEST_MODERN): Promise<ProbeAnswer> {
    const { peer, info, modernCapabilities, isPerRequest } = this.#options;
    this.step = 'server/discover';
    this.probed = true;
    const params = { _meta: makeEnvelope(revision, info, modernCapabilities) };
    // Our HTTP transport cancels without a message, by closing the connection.
    const cancellable = isPerRequest && peer.channel.writesText === true;
    const options = { ...this.#untilDue(), signal: this.#dropProbe.signal, cancellable };
    return settled(peer.request('server/discover', params, options));
  }

  #judge(answer: ProbeAnswer, asked: ModernRevision = NEWEST_MODERN): Verdict {
    if (answer.error && (this.#dead || isUnreachable(answer.error))) throw answer.error;
    const verdict = judgeProbe(answer, asked);
    if (verdict.kind === 'modern') this.#isModern = true;
    return verdict;
  }

  #modern({ revision, result }: Verdict & { kind: 'modern' }): Agreement {
    return { revision, server: readServer(result, this.#options.warn), remember: 'modern' };
  }

  async #legacy(offer?: LegacyRevision): Promise<Agreement> {
    const { revision, warn } = this.#options;
    const wanted = (revision ?? offer ?? NEWEST_LEGACY) as LegacyRevision;
    const result = await this.#initialize(wanted);
    if (speaksTranscript(result)) return transcriptAgreement(result);
    const agreed = readRevision(result.protocolVersion, warn);
    if (agreed && (revision === undefined || agreed === revision)) {
      return { revision: agreed, server: readServer(result, warn), remember: 'legacy' };
    }
    throw failed(
      `it answered initialize with protocol version ${JSON.stringify(result.protocolVersion)}; ` +
        `this client ${revision ? `is set to ${revision} only` : `supports ${knownRevisions()}`}`,
      undefined,
      isInvented(result.protocolVersion) ? PUBLISHED : UPDATE,
    );
  }

  /** The result of `initialize`, with another version or in the dialect if the server requires it. */
  async #initialize(protocolVersion: LegacyRevision): Promise<Record<string, unknown>> {
    const { peer, info, legacyCapabilities, revision } = this.#options;
    this.step = 'initialize';
    const ask = (version: LegacyRevision) => {
      const params = { protocolVersion: version, capabilities: legacyCapabilities, clientInfo: info };
      return settled(peer.request('initialize', params, this.#untilDue()));
    };
    let answer: ProbeAnswer = await ask(protocolVersion);
    const named = revisionNamedIn(answer.error);
    if (named && named !== protocolVersion && revision === undefined) answer = await ask(named);
    if (!answer.error) return asResult(answer.result, 'initialize');
    const isRefused = answer.error instanceof RpcError && !isModernRefusal(answer.error);
    if (!isRefused || this.#dead || this.#isModern || revision !== undefined) throw answer.error;
    const inDialect = await settled(openTranscript(peer, info, this.#untilDue()));
    if (inDialect.error || !speaksTranscript(inDialect.result)) throw answer.error;
    return inDialect.result;
  }

  async #transcript(): Promise<Agreement> {
    const { peer, info } = this.#options;
    const result = await openTranscript(peer, info, this.#untilDue());
    if (!speaksTranscript(result)) throw failed('it does not answer in the dialect of the transcript');
    return transcriptAgreement(result);
  }

  get #dead(): boolean {
    return this.#options.isClosed();
  }

  /** Whether the server answered that it lacks the method. Over HTTP an error status counts too. */
  #isRefusal(error: unknown): boolean {
    if (error instanceof RpcError || (error instanceof PeerError && error.code === 'NEGOTIATION_FAILED')) return true;
    return this.#options.isPerRequest && error instanceof PeerError && !isUnreachable(error);
  }

  /** "Clients MUST NOT cancel initialize", and the probe may be answered late. Messages from the server never extend this time. */
  #untilDue() {
    const { clock, dueMs } = this.#options;
    const leftMs = Math.max(0, dueMs - clock.nowMs());
    return { timeoutMs: leftMs, totalTimeoutMs: leftMs, cancellable: false };
  }
}

type Settled<T> = { result: T; error?: undefined } | { result?: undefined; error: Error };

function settled<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (result) => ({ result }),
    (error: unknown) => ({ error: toError(error) }),
  );
}

function unwrap(opened: Settled<Agreement>): Agreement {
  if (opened.error) throw opened.error;
  return opened.result;
}

/** HTTP: a credential is missing, a proxy requires one, or there are too many requests. */
const turnedAway = [401, 407, 429];

/** Whether other requests would not reach the server or be refused as well. */
function isUnreachable(error: Error): boolean {
  if (isUnauthorized(error)) return true;
  if (!(error instanceof PeerError) || error.code !== 'NOT_SENT') return false;
  const status = error.evidence?.status;
  return status === undefined || turnedAway.includes(status);
}

function transcriptAgreement(result: Record<string, unknown>): Agreement {
  return {
    revision: '2024-11-05',
    server: readTranscriptServer(result),
    dialect: 'transcript',
    remember: 'transcript',
  };
}

const UPDATE =
  'Update the server or this package. The options `era` and `revision` of connect(), or `--era` and `--revision` on the command line, select the revisions that are tried.';
const PUBLISHED =
  'No revision of MCP has this date. In the server, answer initialize with the requested version, or with another published one.';

/** Whether the version is not published. A later one may be unknown to this package. */
function isInvented(version: unknown): boolean {
  return typeof version === 'string' && version < NEWEST_MODERN && !isLegacyRevision(version);
}

function failed(why: string, cause?: Error, hint = UPDATE): PeerError {
  return new PeerError('NEGOTIATION_FAILED', `No common protocol with the server: ${why}`, { cause, hint });
}
