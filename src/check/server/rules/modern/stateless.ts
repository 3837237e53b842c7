// Each request stands alone: nothing that an earlier one said counts.

import { CLIENT_CAPABILITIES, PROTOCOL_VERSION } from '../../../../mcp/meta.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError } from '../../conversation.ts';
import { modernRule, page } from './modern-rule.ts';
import { allCapabilities, asks, freshAskingCall } from './tried-calls.ts';

const source = page('basic/index#statelessness');
const lists = { tools: 'tools/list', resources: 'resources/list', prompts: 'prompts/list' } as const;

export const statelessRules = [
  modernRule({
    id: 'modern/no-handshake',
    level: 'MUST',
    title: 'the first request of a connection is served',
    says: 'There is no handshake: a client may send any request first, also before `server/discover`.',
    source,
    fix: {
      any: 'Serve every request that has the envelope in `_meta`. Do not wait for `initialize` or `server/discover`.',
    },
    uses: 'own',
    check: async (trial) => {
      const kind = (['tools', 'resources', 'prompts'] as const).find((each) => trial.facts.capabilities[each]);
      if (!kind) notApplicable('the server has no tools, resources or prompts to list');
      const probe = await trial.start();
      const _meta = { [PROTOCOL_VERSION]: trial.revision, [CLIENT_CAPABILITIES]: {} };
      probe.send({ jsonrpc: '2.0', id: 1, method: lists[kind], params: { _meta } });
      const frame = await probe.answerTo(1, `\`${lists[kind]}\` as the first request`);
      const { error } = frame.json as { error?: { code: unknown; message: unknown } };
      if (error) violation(`\`${lists[kind]}\` as the first request got the error ${describeError(error)}.`, frame);
    },
  }),
  modernRule({
    id: 'modern/capabilities-of-each-request',
    level: 'MUST',
    title: 'the capabilities of each request count, and no others',
    says: 'A server relies on no earlier request of the connection for the capabilities of the client. Two requests at once are each served by their own.',
    source,
    fix: {
      any: 'Read `io.modelcontextprotocol/clientCapabilities` from the request that is served. Do not keep it for the connection.',
    },
    uses: 'own',
    check: async (trial) => {
      const asking = await freshAskingCall(trial);
      if (asks(await asking.request({}, {}))) notApplicable('the server asks clients without capabilities, too');
      const [before, able, after] = await Promise.all([
        asking.request({}, {}),
        asking.request({}, allCapabilities),
        asking.request({}, {}),
      ]);
      for (const answer of [before, after, await asking.request({}, {})]) {
        if (!asks(answer)) continue;
        violation('A client without capabilities was asked because another request had declared them.', answer.frame);
      }
      if (!asks(able))
        violation('A client with capabilities was not asked because another request had none.', able.frame);
    },
  }),
];
