// A client that calls a tool that asks a question, leaves it unanswered, and repeats the call every half second in the
// same session.

import { setTimeout as pause } from 'node:timers/promises';

const REPEAT_MS = 500;

/** Resolves, when the first question is pending, to a function that ends the client. */
export async function startAsker({ port, path, headers }) {
  const url = `http://127.0.0.1:${port}${path}`;
  const ending = new AbortController();
  const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
  const post = (message, more = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { ...all, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: ending.signal,
    });
  const clientInfo = { name: 'hostile', version: '1.0.0' };
  const params = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo };
  const opened = await post({ id: 0, method: 'initialize', params });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') };
  await opened.text();
  let id = 0;
  const call = async () => {
    const { body } = await post({ id: ++id, method: 'tools/call', params: { name: 'ask' } }, session);
    await body.getReader().read(); // the question
  };
  await call();
  const repeating = (async () => {
    while (!ending.signal.aborted) {
      await pause(REPEAT_MS, undefined, { signal: ending.signal });
      await call();
    }
  })().catch(() => undefined); // the client was ended
  return async () => {
    ending.abort();
    await repeating;
  };
}
