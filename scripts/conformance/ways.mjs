// The programs that the suite tests: servers that are started here, and a client that the suite starts.

import { join } from 'node:path';
import { root } from '../prepare.mjs';
import { giveTurns } from './turns.mjs';
import { serveWithUp } from './up.mjs';

export const fixtures = join(root, 'test/fixtures/conformance');
/** Capabilities of the clients. A server in 2025-11-25 receives them once, before a client connects. */
const ASKABLE = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Extensions whose scenarios must pass, although the suite does not require them. */
const EXTENSIONS = ['tasks', 'skills'];

/**
 * Each way serves without a token, because the suite sends none. Before 2026-07-28 a question of a server refers to no
 * request, which scenarios of that revision check: a server that is used in 2025-11-25 is tested with clients of that
 * era.
 */
export const WAYS = {
  direct: { leg: 'server', title: 'our Server over HTTP', serve: serveDirectly, extensions: EXTENSIONS },
  url: { leg: 'server', title: 'our Server over HTTP, behind up --http', serve: serveUrl, extensions: EXTENSIONS },
  ours: {
    leg: 'server',
    title: 'our stdio server behind up --http',
    serve: () => serveWithUp(entryOf('our-server.mjs')),
    extensions: EXTENSIONS,
  },
  official: {
    leg: 'server',
    title: 'official stdio server behind the gateway',
    serve: () => serveBehind('official-server.mjs'),
    extensions: ['skills'],
  },
  'ours-legacy': {
    leg: 'server',
    title: 'our stdio server, used in 2025-11-25',
    serve: () => serveBehind('our-server.mjs', '2025-11-25'),
    revisions: ['2025-11-25'],
  },
  'official-legacy': {
    leg: 'server',
    title: 'official stdio server, used in 2025-11-25',
    serve: () => serveBehind('official-server.mjs', '2025-11-25'),
    revisions: ['2025-11-25'],
  },
  client: { leg: 'client', title: 'our client over HTTP', serve: clientCommand, extensions: ['skills'] },
};

async function serveDirectly() {
  const { serveHttp } = await import('standpipe/http');
  const { conformanceServer } = await import('../../test/fixtures/conformance/our-server.mjs');
  const serving = await serveHttp(conformanceServer(), { token: false });
  return { target: serving.url, close: () => serving.close() };
}

/** Serves the same server as an entry with a `url`. */
async function serveUrl() {
  const direct = await serveDirectly();
  const { target, close } = await serveWithUp({ url: direct.target });
  return {
    target,
    async close() {
      await close();
      await direct.close();
    },
  };
}

function entryOf(file) {
  return { command: process.execPath, args: [join(fixtures, file)] };
}

/** Starts a stdio server under a host, in the given revision or in the newest one that both sides support. */
async function serveBehind(file, revision) {
  const { serveHttp } = await import('standpipe/http');
  const { Host } = await import('standpipe/host');
  const entry = { ...entryOf(file), ...(revision && { revision }) };
  const inputs = () => (revision ? { capabilities: ASKABLE } : {});
  const host = new Host({ mcpServers: { conformance: entry } }, { inputs });
  await host.start();
  const serving = await serveHttp(host.service('conformance'), { token: false });
  return {
    target: serving.url,
    async close() {
      await serving.close();
      await host.stop();
    },
  };
}

/** The suite appends the URL of a scenario and starts the command through a shell. */
async function clientCommand() {
  const turns = await giveTurns();
  const target = `"${process.execPath}" "${join(fixtures, 'our-client.mjs')}" ${turns.port}`;
  return { target, close: turns.close };
}
