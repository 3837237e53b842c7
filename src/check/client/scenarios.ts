// Ways to play the server. A scenario has at most one disturbance before each of: the answer that opens the connection, the list of tools, the
// result of the call. So a rule can tell which disturbance stopped a client.

import { isObject, type JsonObject, metaOf } from '../../base/json-object.ts';
import { PROTOCOL_VERSION_KEY } from '../../mcp/meta.ts';
import { lineOf, type PlayedMcp } from './played-mcp.ts';
import type { Answering, Scenario } from './scenario.ts';
import { type Asked, echoTool, failed } from './usual-answers.ts';

/** A correct server of all revisions. */
export const plain: Scenario = { name: 'plain' };

export const OLDER_REVISION = '2025-03-26';
export const UNKNOWN_REVISION = '1999-01-01';

/** Delay of the answer to `initialize`: shows whether a client waits for it. */
const ANSWER_MS = 200;

/** Number of lines of the client before the answer to `initialize`. */
export const LINES_BEFORE_ANSWER = 'lines before the answer to initialize';

/** A server of one older revision that refuses `server/discover`. Its tools change while they are listed. */
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
  const requested = metaOf(asked.params)?.[PROTOCOL_VERSION_KEY];
  const data = { supported: [UNKNOWN_REVISION], requested };
  mcp.send({ jsonrpc: '2.0', id: asked.id, ...failed(-32022, 'Unsupported protocol version', data) });
}

/** A server that does not support `initialize`. */
export const modernOnly: Scenario = { name: 'modern-only', speaks: { only: 'modern' } };

/** Whether the request is the first of its method in the session. */
function isFirst(asked: Asked, { session }: PlayedMcp): boolean {
  return session.find(({ method }) => method === asked.method) === asked;
}

/** A server that ignores the end of its stdin and SIGTERM. */
export const stubborn: Scenario = { name: 'stubborn', ignoresEnd: true };

const CRASHED = 3;

/** A server that exits at the first request. */
export const crashAtStart: Scenario = { name: 'crash-at-start', first: (_, { server }) => server.exit(CRASHED) };

/** A server that exits during a call. */
export const crashAtCall: Scenario = {
  name: 'crash-at-call',
  on: { 'tools/call': (_, { server }) => server.exit(CRASHED) },
};

/** Delay between two pieces of a message, so that a client reads them separately. */
const BETWEEN_MS = 20;
const SLOW_MS = 1_500;
const STDERR_BYTES = 1024 * 1024;
const LARGE_BYTES = 4 * 1024 * 1024;

function opening(answer: Answering): Record<string, Answering> {
  return { initialize: answer, 'server/discover': answer };
}

/** The message `usual` with these members in its result. */
export function withResult(usual: JsonObject, members: JsonObject): JsonObject {
  return isObject(usual.result) ? { ...usual, result: { ...usual.result, ...members } } : usual;
}

/** Characters of two, three and four bytes. */
export const SPLIT_CURSOR = 'größer-漢字-🚀';

/** A server that writes CRLF and blank lines, messages in pieces, several messages in one write, and a large result. */
export const bytes: Scenario = {
  name: 'bytes',
  on: {
    ...opening((asked, mcp) => mcp.server.write(`\r\n\n${JSON.stringify(mcp.usual(asked))}\r\n`)),
    'tools/list': async (asked, mcp) => {
      if (asked.params.cursor !== undefined) return mcp.send(withResult(mcp.usual(asked), { tools: [] }));
      const line = Buffer.from(lineOf(withResult(mcp.usual(asked), { nextCursor: SPLIT_CURSOR })));
      const ping = asked.era === 'legacy' ? lineOf({ jsonrpc: '2.0', id: 'together', method: 'ping' }) : '';
      await inPieces(mcp, Buffer.concat([Buffer.from(ping), line]));
    },
    'tools/call': (asked, mcp) => {
      const content = [{ type: 'text', text: 'x'.repeat(LARGE_BYTES) }];
      mcp.send(withResult(mcp.usual(asked), { content }));
    },
  },
};

/** Positions inside each multi-byte character, where the message is cut. */
async function inPieces({ server, timeoutMs }: PlayedMcp, whole: Buffer): Promise<void> {
  const cuts = [...whole.keys()].filter((at) => whole[at]! >= 0xc0).map((at) => at + 1);
  let from = 0;
  for (const cut of [...cuts, whole.length]) {
    server.write(whole.subarray(from, cut));
    await server.flushed(timeoutMs);
    await server.pause(BETWEEN_MS);
    from = cut;
  }
}

/** A server that writes stray output before the first answer, an unknown notification, and an answer to an unknown request. */
export const noise: Scenario = {
  name: 'noise',
  on: {
    ...opening((asked, mcp) => {
      mcp.server.write('Server is starting...\n{"level": "info", msg: ready}\n[1/2] loaded\n');
      mcp.send(mcp.usual(asked));
    }),
    'tools/list': (asked, mcp) => {
      mcp.send({ jsonrpc: '2.0', method: 'notifications/check/unknown', params: { some: ['data'] } });
      mcp.send(mcp.usual(asked));
    },
    'tools/call': (asked, mcp) => {
      mcp.send({ jsonrpc: '2.0', id: 'never-sent', result: {} });
      mcp.send(mcp.usual(asked));
    },
  },
};

export const STDERR_TAKEN = 'stderr was taken';

/** A server whose first answer is slow, and which writes 1 MiB to stderr before the list of tools. */
export const slow: Scenario = {
  name: 'slow',
  first: async (asked, mcp) => {
    await mcp.server.pause(SLOW_MS);
    mcp.send(mcp.usual(asked));
  },
  on: {
    'tools/list': async (asked, mcp) => {
      if (!mcp.notes.has(STDERR_TAKEN)) {
        mcp.notes.set(STDERR_TAKEN, false);
        const line = 'warning: error: this is only a log message\n';
        mcp.server.writeStderr(line.repeat(Math.ceil(STDERR_BYTES / line.length)));
        mcp.notes.set(STDERR_TAKEN, await mcp.server.flushed(mcp.timeoutMs));
      }
      mcp.send(mcp.usual(asked));
    },
  },
};

export const PING = 'the answer to ping';
export const UNKNOWN_REQUEST = 'the answer to an unknown request';

/** A server before 2026-07-28 that sends unknown members and requests, and whose call fails. */
export const questions: Scenario = {
  name: 'questions',
  speaks: { only: 'legacy' },
  on: {
    initialize: (asked, mcp) => {
      const capabilities = { tools: {}, 'check/unknown': { levels: [1, 2] } };
      mcp.send(withResult(mcp.usual(asked), { capabilities, 'check/unknown': null, unknownMember: { some: 'data' } }));
    },
    'tools/list': async (asked, mcp) => {
      if (isNew(PING, mcp)) mcp.notes.set(PING, await mcp.ask('check-ping', 'ping'));
      mcp.send(mcp.usual(asked));
    },
    'tools/call': async (asked, mcp) => {
      if (isNew(UNKNOWN_REQUEST, mcp)) mcp.notes.set(UNKNOWN_REQUEST, await mcp.ask(-7, 'check/unknown'));
      mcp.send({ jsonrpc: '2.0', id: asked.id, ...failed(-32603, 'The tool broke') });
    },
  },
};

/** Whether the request of this note is due: it is sent once, and only in a session. */
function isNew(note: string, { notes, session }: PlayedMcp): boolean {
  return session.length > 0 && !notes.has(note);
}

/** Cursors that change if they are trimmed, decoded or encoded. */
export const CURSORS = [' "page"/2?a=b&c=%20+\\n\u2028\t', 'eyJ=\u00e4\u{1f680}\u0000 '] as const;

/** A server with three pages of tools. The tool `echo` is on the last page. */
export const pages: Scenario = {
  name: 'pages',
  on: { 'tools/list': (asked, mcp) => mcp.send(page(asked, mcp)) },
};

function page(asked: Asked, mcp: PlayedMcp): JsonObject {
  const { cursor } = asked.params;
  const at = cursor === undefined ? 0 : (CURSORS as readonly unknown[]).indexOf(cursor) + 1;
  if (cursor !== undefined && at === 0) return { jsonrpc: '2.0', id: asked.id, ...failed(-32602, 'Invalid cursor') };
  if (at === CURSORS.length) return mcp.usual(asked);
  const tools = [{ ...echoTool, name: `other-${at + 1}` }];
  return withResult(mcp.usual(asked), { tools, nextCursor: CURSORS[at] });
}

/** Scenarios that take longest are started first. */
export const scenarios: readonly Scenario[] = [
  silentOnDiscover,
  stubborn,
  slow,
  older,
  plain,
  refusesDiscover,
  unknownVersion,
  modernOnly,
  bytes,
  noise,
  questions,
  pages,
  crashAtStart,
  crashAtCall,
];
