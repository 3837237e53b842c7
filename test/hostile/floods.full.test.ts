// Servers that write useless output endlessly, and limits for the resources that this uses.

import { expect, test } from 'vitest';
import { connect } from '../../src/entry/client.ts';
import { closing } from '../fixtures/server.ts';
import { hostileEntry } from './raw-server.ts';

const flooding = async () =>
  closing(await connect({ ...hostileEntry('floods-then-answers'), stderr: 'ignore' }, { requestTimeoutMs: 60_000 }));

test('an unreadable message creates no error without an error listener', async () => {
  const client = await flooding();
  const { transport } = client;
  let collected = 0;
  const evidence = transport.evidence.bind(transport);
  transport.evidence = () => {
    collected++; // called for every error
    return evidence();
  };
  const flood = (kind: string) => client.callTool('tool', { kind, lines: 2000 });
  await flood('half messages');
  await flood('broken answers');
  expect(collected).toBe(0);
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  await flood('half messages');
  await flood('answers to nothing');
  expect(errors).toHaveLength(4000);
  expect(collected).toBe(2000);
});

test('output that a server wrote before its exit is read completely', async () => {
  const client = await flooding();
  let lines = 0;
  client.transport.onnoise = () => {
    lines++;
    for (let work = 0; work < 20_000; work++) Math.sqrt(work); // makes each chunk take many turns
  };
  const other = await flooding(); // with a second server, turns are short
  const call = client.callTool('tool', { kind: 'noise', lines: 20_000, exits: true });
  await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(lines).toBe(20_000);
  expect((await other.callTool('tool', { kind: 'noise', lines: 1 })).content).toHaveLength(1);
});
