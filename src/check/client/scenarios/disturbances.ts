// Servers that a client meets sooner or later. A scenario has at most one disturbance before each of: the answer that opens the connection, the
// list of tools, the result of the call. So each rule knows which of them a client did not survive.

import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { lineOf, type PlayedMcp } from '../played-mcp.ts';
import type { Answering, Scenario } from '../scenario.ts';
import { type Asked, echoTool, failed } from '../usual-answers.ts';

/** Between two pieces of a message, so that a client reads them apart. */
const BETWEEN_MS = 20;
const SLOW_MS = 1_500;
const STDERR_BYTES = 1024 * 1024;
export const LARGE_BYTES = 4 * 1024 * 1024;

function opening(answer: Answering): Record<string, Answering> {
  return { initialize: answer, 'server/discover': answer };
}

/** `usual`, with other members in its result. */
function withResult(usual: JsonObject, members: JsonObject): JsonObject {
  return isObject(usual.result) ? { ...usual, result: { ...usual.result, ...members } } : usual;
}

/** Characters of two, three and four bytes. */
export const SPLIT_CURSOR = 'größer-漢字-🚀';

/** Lines that end with CRLF and blank lines; messages in pieces and together; a large result. */
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

/** Cut inside of each character of more than one byte. */
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

/** Text on stdout before the first answer; an unknown notification; an answer to a request that was not sent. */
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

/** A slow first answer; much output on stderr before the list. */
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

/** A server before 2026-07-28 with unknown members and requests of its own, and a call that fails. */
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

/** A server sends requests in a session only, and each of these once. */
function isNew(note: string, { notes, session }: PlayedMcp): boolean {
  return session.length > 0 && !notes.has(note);
}

/** Cursors with characters that change when they are trimmed, decoded or encoded once too often. */
export const CURSORS = [' "page"/2?a=b&c=%20+\\n\u2028\t', 'eyJ=\u00e4\u{1f680}\u0000 '] as const;

/** Three pages; the tool `echo` is on the last. */
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
