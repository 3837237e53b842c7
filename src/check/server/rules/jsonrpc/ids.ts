// Ids come back as they were sent: a client finds the request of an answer by nothing else.

import { isObject } from '../../../../base/json-object.ts';
import { parsed } from '../../../parsed-json.ts';
import { notApplicable, Violation, violation } from '../../../verdict.ts';
import { COPY_ID, UNKNOWN_METHOD } from '../../conversation.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { echo, shownId } from '../answers.ts';
import { messages } from './source.ts';

const common = {
  level: 'MUST',
  source: messages('responses'),
  runs: 'each era',
  uses: 'shared',
} as const;

export const integerIds: ServerRule = {
  ...common,
  id: 'jsonrpc/integer-ids-are-echoed',
  title: 'return integer ids as they were sent',
  says: 'An answer has the id of its request. Zero, negative and large integers are valid ids.',
  fix: {
    java: 'Keep the id as the JSON value it was (JsonNode, Object), not as int or double.',
    dotnet: 'Keep the id as a JsonElement, not as int or double.',
    go: 'Keep the id as json.RawMessage, not as int or float64.',
    rust: 'Keep the id as serde_json::Value, or as an enum of i64 and String.',
    any: 'Keep the id as the JSON value it was. Test for its absence, not for its truth: 0 is an id.',
  },
  check: (ruleRun) => areEchoed(ruleRun, [0, -1, Number.MAX_SAFE_INTEGER]),
};

export const stringIds: ServerRule = {
  ...common,
  id: 'jsonrpc/string-ids-are-echoed',
  title: 'return string ids as they were sent',
  says: 'An answer has the id of its request, of the same type. A string of digits stays a string; any text is valid.',
  fix: {
    any: 'Keep the id as the JSON value it was: no conversion of digits to a number, no test for truth ("" is an id).',
  },
  check: (ruleRun) => areEchoed(ruleRun, ['', '7007', 'null', 'a "b" c/d', 'x'.repeat(300)]),
};

export const errorIds: ServerRule = {
  ...common,
  id: 'jsonrpc/error-ids-are-echoed',
  title: 'return the id of the request in errors too',
  says: 'An error has the id of its request. The id null is only for messages whose id cannot be read: clients do not know which request such an error answers, and wait.',
  fix: { any: COPY_ID },
  check: async (ruleRun) => {
    const conversation = await ruleRun.shared();
    const { probe } = conversation;
    for (const id of [probe.newId(), 'an error']) {
      probe.send({ ...conversation.ping(id), method: UNKNOWN_METHOD });
      await conversation.answer(id, 'a request with an unknown method').catch((error: unknown) => {
        const isOther = error instanceof Violation && error.fix !== COPY_ID;
        if (isOther) notApplicable('an unknown method is not refused (jsonrpc/unknown-methods-are-refused)');
        throw error;
      });
    }
  },
};

export const idSpelling: ServerRule = {
  ...common,
  id: 'jsonrpc/integer-ids-stay-integers',
  level: 'ADVICE',
  title: 'write integer ids without a fraction or an exponent',
  says: 'An answer to the request 7 with the id 7.0 or 7e0 has an equal id. Clients that compare the text of ids, or read them as integers, do not recognise it.',
  source: { of: 'json-rpc', anchor: 'request_object' },
  fix: {
    python: 'Keep the id as json.loads returns it: no conversion with float().',
    java: integerIds.fix.java!,
    dotnet: integerIds.fix.dotnet!,
    go: integerIds.fix.go!,
    any: 'Keep the id as the JSON value it was, not as a floating-point number.',
  },
  check: async (ruleRun) => {
    const id = 7;
    const { frame, id: found } = await echo(await ruleRun.shared(), id);
    if (!frame || found !== id) notApplicable('the id does not come back (jsonrpc/integer-ids-are-echoed)');
    const written = inexactId(Buffer.from(frame.bytes).toString('utf8'));
    if (written !== undefined) violation(`The request with the id ${id} was answered with the id ${written}.`, frame);
  },
};

/** Candidates of a long answer. */
const MOST_IDS = 20;

/** The id of the message, as it is written, if it has a fraction or an exponent. Ids inside of the result do not count. */
function inexactId(text: string): string | undefined {
  const candidates = text.matchAll(/"id"\s*:\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g);
  for (const { 0: member, 1: written = '', index } of [...candidates].slice(0, MOST_IDS)) {
    if (/^-?\d+$/.test(written)) continue;
    const marked = parsed(`${text.slice(0, index)}"id":"marked"${text.slice(index + member.length)}`);
    if (isObject(marked) && marked.id === 'marked') return written;
  }
  return undefined;
}

async function areEchoed(ruleRun: ServerRuleRun, ids: readonly (string | number)[]): Promise<void> {
  const conversation = await ruleRun.shared();
  for (const id of ids) {
    const { frame, id: found } = await echo(conversation, id);
    const shown = shownId(id);
    if (!frame) violation(`There was no answer to the request with the id ${shown}.`);
    if (found !== id) violation(`The request with the id ${shown} was answered with another id.`, frame);
  }
}
