// Rules of one form: something odd is sent, and the server still answers the next request. What it answers to the odd thing itself, if
// anything, is up to the rules about JSON-RPC.

import type { Fix, Source } from '../../../rule.ts';
import type { Conversation } from '../../conversation.ts';
import type { ServerRule } from '../../server-rule.ts';
import { ofLength } from '../long-requests.ts';
import { expected } from '../wire/sources.ts';

interface StillAnswers {
  readonly id: string;
  readonly level?: ServerRule['level'];
  readonly title: string;
  readonly says: string;
  readonly source?: Source;
  readonly until?: ServerRule['until'];
  readonly runs?: ServerRule['runs'];
  readonly fix: Fix;
  readonly isHeavy?: true;
  /** What to send, by what it is. */
  readonly sent: (conversation: Conversation) => Readonly<Record<string, Uint8Array | string>>;
}

export function stillAnswers({
  sent,
  source = expected,
  level = 'ADVICE',
  runs = 'once',
  ...text
}: StillAnswers): ServerRule {
  return {
    ...text,
    level,
    source,
    runs,
    uses: 'shared',
    check: async (ruleRun) => {
      const conversation = await ruleRun.shared();
      for (const [what, bytes] of Object.entries(sent(conversation))) {
        const line = Buffer.concat([Buffer.from(bytes as string), Buffer.from('\n')]);
        await ofLength(ruleRun, line.length, async () => {
          conversation.probe.write(line);
          await conversation.probe.inputTaken(); // megabytes take their time
          await conversation.barrier(what);
          await conversation.barrier(what); // an error in a promise ends a server after it has answered what it read beside it
        });
      }
    },
  };
}

export const catchPerMessage: Fix = {
  python: 'Put json.loads and the handling of one message into try … except Exception, inside of the loop.',
  node: 'Put JSON.parse and the handling of one message into try … catch, inside of the loop.',
  java: 'Catch exceptions of the mapper and of the handler for each line, inside of the loop.',
  go: 'Report the error of json.Unmarshal and continue the loop; recover() from a panic of a handler.',
  rust: 'Handle the Err of serde_json::from_str and continue the loop, without unwrap().',
  dotnet: 'Catch JsonException for each line, inside of the loop.',
  any: 'Report an error in one message and continue with the next line.',
};
