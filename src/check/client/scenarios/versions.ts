// Servers of one era or another, and what they say about versions.

import { PROTOCOL_VERSION_KEY } from '../../../mcp/meta.ts';
import type { PlayedMcp } from '../played-mcp.ts';
import type { Scenario } from '../scenario.ts';
import { type Asked, failed } from '../usual-answers.ts';

/** A server of all revisions that does nothing unusual. */
export const plain: Scenario = { name: 'plain' };

export const OLDER_REVISION = '2025-03-26';
export const UNKNOWN_REVISION = '1999-01-01';

/** How long the answer to `initialize` takes: for a client that does not wait for it, not for one that does. */
const ANSWER_MS = 200;

/** Lines of the client when the answer to `initialize` was sent. */
export const LINES_BEFORE_ANSWER = 'lines before the answer to initialize';

/** A server of one older revision, that refuses `server/discover`. Its tools change while they are listed. */
export const older: Scenario = {
  name: 'older',
  speaks: { only: 'legacy', version: OLDER_REVISION },
  on: {
    initialize: async (asked, mcp) => {
      await mcp.server.pause(ANSWER_MS);
      mcp.notes.set(LINES_BEFORE_ANSWER, mcp.frames.length);
      mcp.send(mcp.usual(asked));
    },
    'tools/list': (asked, mcp) => {
      if (isFirst(asked, mcp)) mcp.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      mcp.send(mcp.usual(asked));
    },
  },
};

/** An older server that refuses `server/discover` with another code. */
export const refusesDiscover: Scenario = {
  name: 'refuses-discover',
  speaks: { only: 'legacy' },
  on: {
    'server/discover': ({ id }, mcp) =>
      mcp.send({ jsonrpc: '2.0', id, ...failed(-32602, 'Received a request before initialization was complete') }),
  },
};

/** An older server that does not answer requests before `initialize`. */
export const silentOnDiscover: Scenario = {
  name: 'silent-on-discover',
  speaks: { only: 'legacy' },
  on: { 'server/discover': () => undefined },
};

/** A server of a revision that does not exist. */
export const unknownVersion: Scenario = {
  name: 'unknown-version',
  speaks: { only: 'legacy', version: UNKNOWN_REVISION },
  on: {
    'server/discover': ({ id }, mcp) => {
      const capabilities = { tools: {} };
      const result = { resultType: 'complete', supportedVersions: [UNKNOWN_REVISION], capabilities };
      mcp.send({ jsonrpc: '2.0', id, result: { ...result, ttlMs: 0, cacheScope: 'private' } });
    },
    'tools/list': answerUnlessModern,
    'tools/call': answerUnlessModern,
  },
};

function answerUnlessModern(asked: Asked, mcp: PlayedMcp): void {
  if (asked.era === 'legacy') return mcp.send(mcp.usual(asked));
  const requested = (asked.params._meta as Record<string, unknown>)[PROTOCOL_VERSION_KEY];
  const data = { supported: [UNKNOWN_REVISION], requested };
  mcp.send({ jsonrpc: '2.0', id: asked.id, ...failed(-32022, 'Unsupported protocol version', data) });
}

/** A server without `initialize`. */
export const modernOnly: Scenario = { name: 'modern-only', speaks: { only: 'modern' } };

/** The first of its method in the session. */
function isFirst(asked: Asked, { session }: PlayedMcp): boolean {
  return session.find(({ method }) => method === asked.method) === asked;
}
