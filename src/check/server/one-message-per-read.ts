// A server that takes what one read of stdin returns for one message. Two messages in one write show it whatever the time is: the kernel keeps
// them together.

import type { Entry } from '../transcript.ts';
import { Violation } from '../verdict.ts';
import { initializeParams, ONE_MESSAGE_PER_READ, withEnvelope } from './conversation.ts';
import { initializeOn } from './initialize.ts';
import type { Probe } from './probe.ts';
import type { RevisionRun } from './revision-run.ts';
import { IDLE_MS } from './rules/lifecycle/keeps-running.ts';

/** For a server that has answered its opening request. The proof, or undefined if it is not the reason why it does not open. */
export async function proofOfOneMessagePerRead(
  revisionRun: RevisionRun,
  isModern: boolean,
): Promise<readonly Entry[] | undefined> {
  if (revisionRun.problem?.message === ONE_MESSAGE_PER_READ) return revisionRun.observed[0]!.transcript.entries;
  const opened = await answering(revisionRun, isModern);
  if (!opened) return undefined;
  const { probe, request } = opened;
  const from = probe.transcript.entries.length;
  const isRead = await answersTo(probe, [request, request]).then(
    () => true,
    () => false,
  );
  if (isRead) return undefined;
  if (!probe.ended) return probe.transcript.entries.slice(from);
  await probe.howItEnded();
  const isExitingAnyway = await (await answering(revisionRun, isModern))?.probe.exitStatus(IDLE_MS);
  return isExitingAnyway ? undefined : probe.transcript.entries.slice(from);
}

/** A new process that has answered a single request. */
async function answering(
  revisionRun: RevisionRun,
  isModern: boolean,
): Promise<{ probe: Probe; request: object } | undefined> {
  const probe = await revisionRun.start();
  const request = isModern
    ? { method: 'server/discover', params: withEnvelope(undefined, revisionRun.revision, {}) }
    : { method: 'ping' };
  try {
    if (!isModern) await initializeOn(probe, initializeParams(revisionRun.revision));
    await answersTo(probe, [request]);
  } catch (error) {
    if (error instanceof Violation) return undefined;
    throw error;
  }
  return { probe, request };
}

/** In one write. */
async function answersTo(probe: Probe, requests: readonly object[]): Promise<void> {
  const messages = requests.map((request) => ({ jsonrpc: '2.0', id: probe.newId(), ...request }));
  probe.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  for (const { id } of messages) await probe.answerTo(id, 'a request');
}
