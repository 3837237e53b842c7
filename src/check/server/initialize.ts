// `initialize` as a first message, without the rest of an opening.

import type { JsonObject } from '../../base/json-object.ts';
import { type Answer, initializeParams, readAnswer } from './conversation.ts';
import type { Probe } from './probe.ts';
import type { Trial } from './trial.ts';

/** The answer of a new process to `initialize` with any version. */
export async function initializeWith(trial: Trial, version: string): Promise<Answer> {
  return initializeOn(await trial.start(), initializeParams(version));
}

export async function initializeOn(probe: Probe, params: JsonObject): Promise<Answer> {
  const id = probe.newId();
  probe.send({ jsonrpc: '2.0', id, method: 'initialize', params });
  return readAnswer(await probe.answerTo(id, `\`initialize\` of ${String(params.protocolVersion)}`), id);
}

const ROUND_TRIPS = 5;

/** What was sent before has been read: further pings are answered, one after the other. False if one is not, or is refused. */
export async function pingsAreAnswered(probe: Probe): Promise<boolean> {
  for (let trip = 0; trip < ROUND_TRIPS; trip++) {
    const id = probe.newId();
    probe.send({ jsonrpc: '2.0', id, method: 'ping' });
    const frame = await probe.maybe(() => probe.answersTo(id)[0]);
    if (!frame || readAnswer(frame, id).error) return false;
  }
  return true;
}
