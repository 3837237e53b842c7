// What the suite is run against: each is served, or is a client that the suite starts.

import { join } from 'node:path';
import { root } from '../prepare.mjs';
import { giveTurns } from './turns.mjs';

export const fixtures = join(root, 'test/fixtures/conformance');
/** What a server may ask its clients for. In 2025-11-25 it learns that once, before any of them comes. */
const ASKABLE = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** The suite does not require scenarios of extensions. */
const EXTENSIONS = ['tasks', 'skills'];

/**
 * Each serves without a token: the suite sends none. Before 2026-07-28 a question of a server has no name and names no
 * request, which scenarios of that revision ask for: a server that is used in 2025-11-25 is tested with clients of its own era.
 */
export const WAYS = {
  direct: { leg: 'server', title: 'our Server over HTTP', serve: serveDirectly, extensions: EXTENSIONS },
  ours: {
    leg: 'server',
    title: 'our stdio server behind the gateway',
    serve: () => serveBehind('our-server.mjs'),
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

/** A process that speaks stdio, supervised by a host; in the newest revision that both know unless one is given. */
async function serveBehind(file, revision) {
  const { serveHttp } = await import('standpipe/http');
  const { Host } = await import('standpipe/host');
  const entry = { command: process.execPath, args: [join(fixtures, file)], ...(revision && { revision }) };
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

/** The suite starts it through a shell, with the URL of a scenario as its last argument. */
async function clientCommand() {
  const turns = await giveTurns();
  const target = `"${process.execPath}" "${join(fixtures, 'our-client.mjs')}" ${turns.port}`;
  return { target, close: turns.close };
}
