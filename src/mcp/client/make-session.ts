// The session that fits what was agreed on, and the way in which its server is told to send news.

import type { Clock } from '../../base/clock.ts';
import type { Peer } from '../../jsonrpc/peer.ts';
import { ownInfo } from '../own-info.ts';
import { isModernRevision, type LegacyRevision, type ModernRevision } from '../revisions.ts';
import { clientCapabilities } from './inputs.ts';
import { LegacySession } from './legacy-session.ts';
import { Listening } from './listening.ts';
import { ignoreRequests, ModernSession, makeEnvelope } from './modern-session.ts';
import type { Agreement } from './negotiation.ts';
import type { Follower, News } from './news.ts';
import type { ClientOptions } from './options.ts';
import type { Session } from './session.ts';
import { TranscriptSession } from './transcript-dialect.ts';
import type { Warn } from './warnings.ts';

export interface SessionParts {
  peer: Peer;
  agreement: Agreement;
  options: ClientOptions;
  clock: Clock;
  /** Aborts with the connection. */
  closed: AbortSignal;
  news: News;
  warn: Warn;
}

const DEFAULT_MAX_INPUT_ROUNDS = 10;
const DEFAULT_ACKNOWLEDGE_MS = 60_000;

export interface SessionAndFollower {
  session: Session;
  follower: Follower;
  /** Whether a notification about a change is meant for us. */
  accepts: (params: Record<string, unknown> | undefined) => boolean;
}

export function makeSession(parts: SessionParts): SessionAndFollower {
  const { revision, dialect } = parts.agreement;
  if (isModernRevision(revision)) return makeModern(revision, parts);
  const session = dialect
    ? new TranscriptSession(parts.peer)
    : new LegacySession(parts.peer, revision as LegacyRevision, parts.warn);
  return { session, follower: legacyFollower(session), accepts: () => true };
}

function makeModern(revision: ModernRevision, parts: SessionParts): SessionAndFollower {
  const { peer, options, clock, closed, news, warn } = parts;
  peer.answerFaults = false;
  ignoreRequests(peer.channel, warn);
  const envelope = makeEnvelope(revision, options.info ?? ownInfo, clientCapabilities(options, 'modern'));
  const { maxInputRounds = DEFAULT_MAX_INPUT_ROUNDS } = options;
  const session = new ModernSession(peer, revision, envelope, { handlers: options, maxInputRounds, clock, closed });
  const follower = new Listening(peer, {
    clock,
    timeoutMs: options.requestTimeoutMs ?? DEFAULT_ACKNOWLEDGE_MS,
    envelope: () => session.envelope,
    wanted: () => news.filter,
    ended: () => closed.aborted || news.ended('server'),
    warn,
  });
  return { session, follower, accepts: (params) => follower.accepts(params) };
}

/** Lists announce their changes unasked. */
function legacyFollower(session: Session): Follower {
  return {
    follow: async (uri) => void (await session.request('resources/subscribe', { uri })),
    unfollow: async (uri) => void (await session.request('resources/unsubscribe', { uri })),
    followLists: () => undefined,
  };
}
