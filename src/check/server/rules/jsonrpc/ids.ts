// Ids come back as they were sent: a client finds the request of an answer by nothing else.

import { violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { Trial } from '../../trial.ts';
import { echo } from '../answers.ts';
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
  check: (trial) => areEchoed(trial, [0, -1, Number.MAX_SAFE_INTEGER]),
};

export const stringIds: ServerRule = {
  ...common,
  id: 'jsonrpc/string-ids-are-echoed',
  title: 'return string ids as they were sent',
  says: 'An answer has the id of its request, of the same type. A string of digits stays a string; any text is valid.',
  fix: {
    any: 'Keep the id as the JSON value it was: no conversion of digits to a number, no test for truth ("" is an id).',
  },
  check: (trial) => areEchoed(trial, ['', '7007', 'null', 'a "b" c/d', 'x'.repeat(300)]),
};

async function areEchoed(trial: Trial, ids: readonly (string | number)[]): Promise<void> {
  const conversation = await trial.shared();
  for (const id of ids) {
    const { frame, id: found } = await echo(conversation, id);
    const shown = JSON.stringify(id);
    if (!frame) violation(`There was no answer to the request with the id ${shown}.`);
    if (found !== id) violation(`The request with the id ${shown} was answered with another id.`, frame);
  }
}
