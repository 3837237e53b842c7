// Receives the redirect of a login: a loopback server for a single request, which must carry the state of the login. Other requests are
// refused without effect, since every page in the browser can send requests to it.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../../base/clock.ts';
import { toError, UsageError } from '../../base/errors.ts';
import { unlessAborted } from '../../base/wait.ts';
import { type Interaction, loginFailed } from './log-in.ts';

export interface LoopbackOptions {
  /** Default: 0, a free port. */
  port?: number | undefined;
  /** Opens the authorization page for the person. */
  show: (url: URL) => void | Promise<void>;
  /** Resolves to the redirect URL that the person pasted because the browser could not reach it. Stays pending if pasting is impossible. */
  paste?: ((signal: AbortSignal) => Promise<string>) | undefined;
  /** How long the person may take. Default: 5 minutes. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  clock?: Clock | undefined;
}

const PATH = '/callback';
const TIMEOUT_MS = 5 * 60_000;

export async function loopbackRedirect(options: LoopbackOptions): Promise<Interaction> {
  const { port = 0, show, paste, timeoutMs = TIMEOUT_MS, clock = systemClock } = options;
  let state: string | undefined;
  let receive: (answer: URLSearchParams) => void = () => undefined;
  const server = createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => {
    const answer = answerIn(request, state);
    if (answer) response.once('close', () => receive(answer)); // wait until the page has been sent
    respond(response, answer);
  });
  server.maxConnections = 16;
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(port, error)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  return {
    redirectUrl,
    async authorize(url, expected) {
      state = expected;
      const ended = new AbortController();
      const stop = () => ended.abort(options.signal!.reason);
      options.signal?.addEventListener('abort', stop, { once: true });
      const timer = clock.after(timeoutMs, () =>
        ended.abort(loginFailed(`The login was not finished within ${timeoutMs / 60_000} minutes`)),
      );
      const arrived = new Promise<URLSearchParams>((resolve) => {
        receive = resolve;
      });
      const waits = [arrived];
      try {
        options.signal?.throwIfAborted();
        await show(url);
        if (paste) waits.push(pasted(paste, ended.signal, redirectUrl, expected));
        return await unlessAborted(Promise.race(waits), ended.signal);
      } finally {
        timer.cancel();
        options.signal?.removeEventListener('abort', stop);
        ended.abort();
      }
    },
    close() {
      server.close();
      server.closeAllConnections(); // browsers open connections in advance, which Node.js does not count as idle
    },
  };
}

/** Returns undefined for any request but the redirect of this login. */
function answerIn({ method, url = '' }: IncomingMessage, state: string | undefined): URLSearchParams | undefined {
  const at = URL.canParse(url, 'http://127.0.0.1') ? new URL(url, 'http://127.0.0.1') : undefined;
  if (method !== 'GET' || at?.pathname !== PATH || state === undefined) return undefined;
  return at.searchParams.get('state') === state ? at.searchParams : undefined;
}

/** Repeats the prompt if the pasted text is not the redirect. */
async function pasted(
  paste: (signal: AbortSignal) => Promise<string>,
  signal: AbortSignal,
  redirectUrl: string,
  state: string,
): Promise<URLSearchParams> {
  for (;;) {
    const text = (await paste(signal)).trim();
    const url = text.startsWith(redirectUrl) && URL.canParse(text) ? new URL(text) : undefined;
    if (url?.searchParams.get('state') === state) return url.searchParams;
  }
}

function respond(response: ServerResponse, answer: URLSearchParams | undefined): void {
  const isDone = answer?.has('code') === true;
  const text = isDone
    ? 'You are logged in. You can close this page.'
    : answer
      ? 'The login was refused. You can close this page.'
      : 'This is not the page of a login.';
  response.writeHead(answer ? 200 : 400, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Standpipe</title>
<style>:root { color-scheme: light dark; font: 1.1rem system-ui, sans-serif } body { margin: 4rem auto; max-width: 30rem; padding: 0 1rem }</style>
<p>${text}</p>
`);
}

function cannotListen(port: number, error: Error): UsageError {
  return new UsageError('INVALID_OPTION', `The login cannot listen on port ${port}: ${toError(error).message}`, {
    hint: 'Free the port, or choose one with --port that the client is registered with.',
  });
}
