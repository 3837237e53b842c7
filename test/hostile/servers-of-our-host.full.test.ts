// Malicious servers, and the programs that use them.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { PeerError } from '../../src/base/errors.ts';
import { connect, type InputHandlers, type Warning } from '../../src/entry/client.ts';
import type { Host } from '../../src/host/host.ts';
import { ClientCall } from '../../src/mcp/client/client-call.ts';
import { finishRounds } from '../../src/mcp/client/session/input-rounds.ts';
import { newClient } from '../../src/mcp/service.ts';
import { Logged } from '../fixtures/mcp-client/logged.ts';
import { closing, until } from '../fixtures/server.ts';
import { folder, openHost, writeConfig } from '../host/run-host.ts';
import { hostileEntry, hostileFile, runToEnd } from './raw-server.ts';

describe('a call that has begun is not repeated', () => {
  const receipt = {
    method: 'elicitation/create',
    params: { message: 'Receipt?', requestedSchema: { type: 'object', properties: {} } },
  } as const;
  const accepting: InputHandlers = { elicit: () => ({ action: 'accept', content: {} }) };
  const callerWith = (handlers: InputHandlers) => {
    const facts = {
      identity: newClient(),
      revision: '2026-07-28',
      capabilities: { elicitation: {} },
      info: undefined,
      logLevel: undefined,
    } as const;
    return new ClientCall({ facts, handlers, logged: () => undefined }, undefined);
  };

  test('a later round that could not be sent is an unknown outcome, not a call that was never sent', async () => {
    const refused = new PeerError('NOT_SENT', 'tools/call was never sent: the pipe is broken');
    const rounds = finishRounds(
      { resultType: 'input_required', inputRequests: { receipt }, requestState: 'paid' },
      {
        method: 'tools/call',
        params: { name: 'transfer' },
        caller: callerWith(accepting),
        startedMs: 0,
        send: () => Promise.reject(refused),
        lost: () => new Error('The connection ended'),
        other: (result) => result,
        handlers: {},
        maxInputRounds: 3,
        clock: systemClock,
        closed: new AbortController().signal,
      },
    );
    await expect(rounds).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', cause: refused });
  });

  test('100,000 concurrent questions are refused, and none reaches the user', async () => {
    let asked = 0;
    const inputRequests = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`q${n}`, receipt]));
    const rounds = finishRounds(
      { resultType: 'input_required', inputRequests },
      {
        method: 'tools/call',
        params: { name: 'flood' },
        caller: callerWith({ elicit: () => ({ action: asked++ === 0 ? 'accept' : 'decline' }) }),
        startedMs: 0,
        send: () => Promise.reject(new Error('nothing is sent')),
        lost: () => new Error('The connection ended'),
        other: (result) => result,
        handlers: {},
        maxInputRounds: 3,
        clock: systemClock,
        closed: new AbortController().signal,
      },
    );
    await expect(rounds).rejects.toMatchObject({ code: 'RESULT_INVALID', message: expect.stringContaining('256') });
    expect(asked).toBe(0);
  });

  test('a host does not run a tool twice if its server exits between two rounds', async () => {
    const ran = join(folder, 'transfers');
    const sentToFill = (of: Host) =>
      of.flow
        .since(0)
        .filter((event) => event.kind === 'frame' && event.direction === 'toServer' && event.length > 3_000_000).length;
    let asked = 0;
    const host: Host = await openHost(
      { bank: hostileEntry('stops-reading-in-a-round', ran) },
      {
        inputs: () => ({
          elicit: async () => {
            const nth = ++asked;
            const pid = host.status()[0]!.pid!;
            // While the question is pending, another call fills the pipe, so that the next round is queued and never
            // sent.
            host.callTool('bank', 'fill', { with: 'x'.repeat(3_000_000) }).catch(() => undefined);
            await until('the pipe is full', () => sentToFill(host) >= nth);
            setImmediate(() => setImmediate(() => process.kill(pid, 'SIGKILL')));
            return { action: 'accept', content: {} };
          },
        }),
      },
    );
    await host.start();
    await expect(host.callTool('bank', 'transfer')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(readFileSync(ran, 'utf8')).toBe('x');
  });
});

describe('messages of a peer do not end the process', () => {
  test('a LiteMCP answer whose type cannot be converted to a string does not affect the host', async () => {
    const config = writeConfig({ odd: { ...hostileEntry('answers-litemcp-of-an-odd-type'), protocol: 'litemcp' } });
    const { stdout } = await runToEnd([hostileFile('host-of-one'), config]);
    expect(JSON.parse(stdout)).toEqual([{ type: 'text', text: 'hello' }]);
  });

  test('a listener that throws is reported, and the next frame is read', async () => {
    const { stdout } = await runToEnd([hostileFile('listens-and-throws')]);
    expect(JSON.parse(stdout)).toMatchObject({ message: 'thrown by the listener', response: { error: false } });
  });
});

test('50 MB on an unread stderr are not kept in memory', async () => {
  const host = spawn(process.execPath, ['--expose-gc', hostileFile('host-with-unread-stderr')], {
    stdio: ['ignore', 'pipe', 'pipe'], // stderr is not read
  });
  try {
    const { before, after } = JSON.parse(await text(host.stdout));
    expect(after.queuedBytes).toBeGreaterThan(0);
    expect(after.queuedBytes).toBeLessThan(4 * 1024 * 1024);
    expect(after.heldBytes - before.heldBytes).toBeLessThan(16 * 1024 * 1024);
  } finally {
    host.kill('SIGKILL');
  }
});

describe('a server that quotes its key', () => {
  const key = 'hunter2-s3cr3t-value';
  const target = (...args: string[]) => ({
    ...hostileEntry('quotes-its-key', ...args),
    env: { API_KEY: key },
    stderr: 'ignore' as const,
  });

  test('in a start error is quoted with the name of the variable instead', async () => {
    const error = await connect(target()).catch((caught) => caught);
    expect(textsOf(error)).toContain('Invalid API key: [env API_KEY]');
    expect(textsOf(error)).not.toContain(key);
  });

  test('in a call error is quoted with the name of the variable instead', async () => {
    const client = closing(await connect(target('call')));
    const error = await client.callTool('tool').catch((caught) => caught);
    expect(error).toMatchObject({ rpcCode: -32000, message: 'Invalid API key: [env API_KEY]' });
    expect(textsOf(error)).not.toContain(key);
  });
});

test('content that is not a block is read as text, with a warning', async () => {
  const content = [null, { type: 'text', text: 'hi' }, 5];
  const warnings: Warning[] = [];
  const server = new Logged('sloppy', JSON.stringify({ 'tools/call': { content } }));
  const client = await server.connect({ onWarning: (warning) => warnings.push(warning) });
  expect((await client.callTool('x')).content).toEqual(['null', 'hi', '5'].map((text) => ({ type: 'text', text })));
  expect(warnings).toMatchObject([{ topic: 'content-not-blocks' }]);
});

/** All texts of an error that a log may show: its own and those of its causes. */
function textsOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { message, stack, hint, evidence, cause } = error as Error & { hint?: string; evidence?: object };
  return [message, stack, hint, JSON.stringify(evidence), textsOf(cause)].join('\n');
}
