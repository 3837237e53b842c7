// `initialize` as the first message, without the rest of the handshake.

import type { JsonObject } from '../../base/json-object.ts';
import { Violation } from '../verdict.ts';
import { type Answer, describeError, initializeParams, readAnswer } from './conversation.ts';
import type { Probe } from './probe.ts';
import type { ServerRuleRun } from './server-rule-run.ts';

/** The answer of a new process to `initialize` with any version. */
export async function initializeWith(ruleRun: ServerRuleRun, version: string): Promise<Answer> {
  return initializeOn(await ruleRun.start(), initializeParams(version));
}

export async function initializeOn(probe: Probe, params: JsonObject): Promise<Answer> {
  const id = probe.newId();
  probe.send({ jsonrpc: '2.0', id, method: 'initialize', params });
  return readAnswer(await probe.answerTo(id, `\`initialize\` of ${String(params.protocolVersion)}`), id);
}

const ROUND_TRIPS = 5;

/** Whether further requests are answered, so that earlier input has been read. False if `ping` is refused. */
export async function isAnswering(probe: Probe, method: string): Promise<boolean> {
  return (await problemOfPings(probe, method)) === undefined;
}

/** The fault of an answer to one of several requests, as a sentence. */
export async function problemOfPings(probe: Probe, method = 'ping'): Promise<string | undefined> {
  for (let trip = 0; trip < ROUND_TRIPS; trip++) {
    const id = probe.newId();
    probe.send({ jsonrpc: '2.0', id, method });
    try {
      const { error } = readAnswer(await probe.answerTo(id, `\`${method}\``), id);
      if (error && method === 'ping') return `\`ping\` was answered with the error ${describeError(error)}.`;
    } catch (thrown) {
      if (!(thrown instanceof Violation)) throw thrown;
      return thrown.message;
    }
  }
  return undefined;
}
