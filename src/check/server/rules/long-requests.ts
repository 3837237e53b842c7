// Rules with long requests apply only to servers that accept requests of that length. wire/large-message-in reports the others.

import { perRevision } from '../../rule-run.ts';
import { notApplicable, Violation } from '../../verdict.ts';
import type { ServerRuleRun } from '../server-rule-run.ts';

/** Every server accepts requests of this length. */
const SHORT = 8_192;
const LENGTHS = [50_000, 80_000, 150_000, 300_000, 500_000, 1_100_000];

/** The length of the longest plain request that a new process answers. */
const longestTaken = perRevision(async (ruleRun: ServerRuleRun): Promise<number> => {
  let longest = SHORT;
  try {
    const conversation = await ruleRun.open();
    for (const length of LENGTHS) {
      const ping = conversation.ping(undefined, { _meta: { padding: 'x'.repeat(length) } });
      conversation.probe.send(ping);
      await conversation.probe.inputTaken();
      await conversation.probe.answerTo(ping.id, `a request of ${length} bytes`);
      longest = length;
    }
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
  }
  return longest;
});

/** `send` sends a request of `length` bytes. A violation does not count if the server does not answer a plain request of this length. */
export async function ofLength<T>(ruleRun: ServerRuleRun, length: number, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Violation) || length <= SHORT || length > LENGTHS.at(-1)!) throw error;
    const { message, proof = ruleRun.evidence(), fix } = error;
    if ((await longestTaken(ruleRun)) >= length) throw new Violation(message, proof, fix);
    notApplicable(`the server does not answer a request of ${length} bytes (wire/large-message-in)`);
  }
}
