// Opens a connection to a target, negotiates, and returns a connected client. If the server exits because of the probe,
// a second connection is opened after the first has ended completely. After a failure nothing stays open.

import { systemClock } from '../../../base/clock.ts';
import { PeerError, toError, UsageError } from '../../../base/errors.ts';
import { idAsText } from '../../../wire/diagnosis/text-id.ts';
import { Peer } from '../../../wire/jsonrpc/peer.ts';
import { layered, withExtensions } from '../../extensions/extension.ts';
import { ownInfo } from '../../own-info.ts';
import { eraOf, isLegacyRevision, isModernRevision } from '../../revisions.ts';
import { type ClientIdentity, newClient, type Result } from '../../service.ts';
import { Client } from '../client.ts';
import type { ClientChannel, ClientOptions } from '../options.ts';
import { AskingTools } from '../session/asking-tools.ts';
import { answerRequests, clientCapabilities, legacyCapabilities } from '../session/inputs.ts';
import { LegacySession } from '../session/legacy-session.ts';
import { ModernSession } from '../session/modern-session.ts';
import { QuestionGate } from '../session/question-gate.ts';
import type { Session } from '../session/session.ts';
import { TranscriptSession } from '../session/transcript-dialect.ts';
import { Warnings } from '../warnings.ts';
import { cannotReopen, connectError, hopelessStart, markEchoes } from './connect-error.ts';
import { type EraMemory, type KnownEra, processEraMemory } from './era-memory.ts';
import { type Agreement, Negotiation } from './negotiation.ts';
import { finalDiagnosis, outputOf, StartupWatch } from './startup-watch.ts';

interface ConnectionTarget<T extends ClientChannel> {
  open(): T;
  /** Whether `open` creates a new connection every time. */
  canReopen: boolean;
  /** The key for the era memory. */
  key: string | undefined;
}

/** The era to try first, and whether to fall back. */
interface Plan {
  first: KnownEra;
  mayFallBack: boolean;
  patienceMs: number;
}

const DEFAULT_REQUEST_TIMEOUT_MS = 60_000;
const DEFAULT_STARTUP_TIMEOUT_MS = 60_000;
const DEFAULT_PROBE_TIMEOUT_MS = 1_500;

export async function openClient<T extends ClientChannel>(
  target: ConnectionTarget<T>,
  given: ClientOptions = {},
): Promise<Client<T>> {
  const options = withExtensions(given);
  const { signal, eraMemory = processEraMemory } = options;
  checkOptions(options);
  signal?.throwIfAborted();
  const attempts = new Attempts(target, options);
  try {
    const client = await attempts.run(makePlan(options, target.key, eraMemory));
    if (target.key !== undefined && isAuto(options)) eraMemory.set(target.key, attempts.remember!);
    return client;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (target.key !== undefined && isAuto(options)) eraMemory.delete?.(target.key);
    throw error;
  }
}

class Attempts<T extends ClientChannel> {
  remember: KnownEra | undefined;
  readonly #target: ConnectionTarget<T>;
  readonly #options: ClientOptions;
  readonly #warnings: Warnings;
  readonly #startupTimeoutMs: number;
  readonly #dueMs: number;

  constructor(target: ConnectionTarget<T>, options: ClientOptions) {
    this.#target = target;
    this.#options = options;
    this.#warnings = new Warnings(options.onWarning);
    this.#startupTimeoutMs = options.startupTimeoutMs ?? DEFAULT_STARTUP_TIMEOUT_MS;
    this.#dueMs = (options.clock ?? systemClock).nowMs() + this.#startupTimeoutMs;
  }

  async run(plan: Plan): Promise<Client<T>> {
    const {
      clock = systemClock,
      info = ownInfo,
      signal,
      requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS,
    } = this.#options;
    const channel = this.#target.open();
    const peer = new Peer(channel, { clock, requestTimeoutMs });
    let closed = false;
    let started = false;
    peer.onclose = () => {
      closed = true;
    };
    peer.onerror = (error) => this.#warnings.report('startup', `While starting: ${error.message}`, error.message);
    peer.onTextId = (id) => this.#warnings.report('text-id', textIdWarning(id));
    const declared = legacyCapabilities(this.#options);
    const stop = () => peer.close().catch((error: unknown) => this.#warnings.report('close', toError(error).message));
    signal?.addEventListener('abort', stop, { once: true });
    const negotiation = new Negotiation({
      peer,
      isClosed: () => closed,
      isPerRequest: channel.hasPerRequestStream === true,
      clock,
      info,
      modernCapabilities: clientCapabilities(this.#options, 'modern'),
      legacyCapabilities: declared,
      revision: this.#options.revision,
      probeTimeoutMs: this.#options.probeTimeoutMs ?? DEFAULT_PROBE_TIMEOUT_MS,
      dueMs: this.#dueMs,
      initializeByMs: this.#dueMs - this.#startupTimeoutMs / 2,
      output: () => outputOf(channel),
      isHopeless: () => finalDiagnosis(channel) !== undefined,
      warn: this.#warnings.report,
      ...plan,
    });
    const watch = new StartupWatch({ channel, clock, hasAskedAll: () => negotiation.hasAskedAll });
    const { identity = newClient() } = this.#options;
    const gate = new QuestionGate(peer, {
      tools: this.#options.shared?.asking ?? new AskingTools(),
      requestTimeoutMs,
      clock,
      warn: this.#warnings.report,
    });
    try {
      markEchoes(peer);
      answerRequests(peer, this.#options, declared, gate);
      await peer.start();
      started = true;
      const agreement = await Promise.race([negotiation.run(), watch.hopeless.then(hopelessStart)]);
      gate.mayAsk = isLegacyRevision(agreement.revision);
      await this.#confirm(peer, channel, agreement);
      signal?.throwIfAborted();
      if (closed) throw new PeerError('CONNECTION_CLOSED', 'The server answered and then ended');
      peer.onerror = undefined;
      const session = this.#session(peer, agreement, gate, identity);
      const connection = { transport: channel, link: session, warnings: this.#warnings };
      const service = layered(session, this.#options.extensions);
      const client = new Client(service, session.facts, { ...this.#options, identity }, connection);
      session.catalogue = client.catalogue;
      return client;
    } catch (error) {
      const killedByProbe = closed && negotiation.probed && plan.mayFallBack && !signal?.aborted;
      const evidence = channel.evidence?.(); // read before the server is stopped, so that it shows only the failure
      await stop();
      // An error of `peer.start` is already complete.
      const { step } = negotiation;
      const failed = { step, channel, evidence, startupTimeoutMs: this.#startupTimeoutMs };
      const failure = started ? connectError(error, failed) : error;
      if (!killedByProbe) throw failure;
      if (!this.#target.canReopen) throw cannotReopen(failure);
    } finally {
      watch.stop();
      signal?.removeEventListener('abort', stop);
    }
    return this.run({ ...plan, first: 'legacy', mayFallBack: false });
  }

  /** Creates the session for the negotiated revision. */
  #session(
    peer: Peer,
    { server, revision, dialect }: Agreement,
    gate: QuestionGate,
    identity: ClientIdentity,
  ): Session {
    const facts = { ...server, revision, era: eraOf(revision), ...(dialect && { dialect }) };
    const { report } = this.#warnings;
    const { clock = systemClock } = this.#options;
    if (isModernRevision(revision)) {
      peer.requestWatcher = undefined; // modern servers ask questions in results
      return new ModernSession(peer, facts, this.#options, clock, report);
    }
    const host = this.#options.shared && identity;
    if (dialect) return new TranscriptSession(peer, facts, gate, host);
    const session = new LegacySession(peer, facts, gate, host);
    // A host opens a new connection instead, which restores more state than a renewed session.
    if (!this.#options.shared) peer.channel.onrenewed = (initialized) => session.renewed(initialized as Result);
    return session;
  }

  async #confirm(peer: Peer, channel: T, { revision, dialect, remember }: Agreement): Promise<void> {
    this.remember = remember;
    channel.setProtocolVersion?.(revision);
    if (isLegacyRevision(revision) && !dialect) await peer.notify('notifications/initialized');
  }
}

function textIdWarning(id: string): string {
  const { problem, fix } = idAsText(id);
  return `The server ${problem}. It is accepted here; other clients time out. ${fix}`;
}

function makePlan(options: ClientOptions, key: string | undefined, memory: EraMemory): Plan {
  const { probeTimeoutMs = DEFAULT_PROBE_TIMEOUT_MS, startupTimeoutMs = DEFAULT_STARTUP_TIMEOUT_MS } = options;
  const { era = 'auto', revision, dialect } = options;
  const patienceMs = probeTimeoutMs;
  if (dialect) return { first: dialect, mayFallBack: false, patienceMs };
  if (revision) return { first: isModernRevision(revision) ? 'modern' : 'legacy', mayFallBack: false, patienceMs };
  if (era !== 'auto') return { first: era, mayFallBack: false, patienceMs };
  const known = key === undefined ? undefined : memory.get(key);
  // If a server known to be modern does not answer, it is more likely slow than legacy, so the probe waits longer.
  if (known === 'modern') {
    return { first: known, mayFallBack: true, patienceMs: Math.max(probeTimeoutMs, startupTimeoutMs / 2) };
  }
  return { first: known ?? 'modern', mayFallBack: true, patienceMs };
}

function isAuto({ era = 'auto', revision, dialect }: ClientOptions): boolean {
  return era === 'auto' && !revision && !dialect;
}

function checkOptions({ revision, era = 'auto', elicitModes }: ClientOptions): void {
  if (revision !== undefined && !isLegacyRevision(revision) && !isModernRevision(revision)) {
    throw new UsageError('INVALID_OPTION', `revision: ${JSON.stringify(revision)} is not a revision of MCP`);
  }
  if (revision !== undefined && era !== 'auto' && isModernRevision(revision) !== (era === 'modern')) {
    throw new UsageError('INVALID_OPTION', `revision: ${revision} does not belong to the ${era} era`);
  }
  if (elicitModes?.length === 0) {
    throw new UsageError('INVALID_OPTION', 'elicitModes: at least one of "form" and "url"');
  }
}
