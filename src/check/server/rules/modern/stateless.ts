// Each request stands alone: nothing that an earlier one said counts.

import { CLIENT_CAPABILITIES, PROTOCOL_VERSION } from '../../../../mcp/meta.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError, readAnswer } from '../../conversation.ts';
import type { Trial } from '../../trial.ts';
import { modernRule, page } from './modern-rule.ts';
import { allCapabilities, asks, freshAskingCall } from './tried-calls.ts';

const source = page('basic/index#statelessness');

/** A method that every server has that offers anything. */
function listOf({ facts }: Trial): string {
  const kind = (['tools', 'resources', 'prompts'] as const).find((each) => facts.capabilities[each]);
  return kind ? `${kind}/list` : notApplicable('the server has no tools, resources or prompts to list');
}

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
      const method = listOf(trial);
      const probe = await trial.start();
      const _meta = { [PROTOCOL_VERSION]: trial.revision, [CLIENT_CAPABILITIES]: {} };
      probe.send({ jsonrpc: '2.0', id: 1, method, params: { _meta } });
      const frame = await probe.answerTo(1, `\`${method}\` as the first request`);
      const { error } = readAnswer(frame, 1);
      if (error) violation(`\`${method}\` as the first request got the error ${describeError(error)}.`, frame);
    },
  }),
  modernRule({
    id: 'modern/era-of-each-request',
    level: 'MUST',
    title: 'a request of this revision is served by it, whatever came before',
    says: 'A request with the envelope in `_meta` is served by this revision. A notification before it, which has no envelope, does not change that: a client may cancel `server/discover`.',
    source: page('basic/versioning#compatibility-matrix'),
    fix: {
      any: 'Choose the era by `_meta` of each request. Only `initialize` chooses an earlier one for the connection.',
    },
    uses: 'own',
    check: async (trial) => {
      const method = listOf(trial);
      const probe = await trial.start();
      const params = { _meta: { [PROTOCOL_VERSION]: trial.revision, [CLIENT_CAPABILITIES]: {} } };
      probe.send({ jsonrpc: '2.0', id: 1, method: 'server/discover', params });
      await probe.answerTo(1, '`server/discover`');
      probe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
      probe.send({ jsonrpc: '2.0', id: 2, method, params });
      const { result, frame } = readAnswer(await probe.answerTo(2, `\`${method}\` after a notification`), 2);
      if (result?.resultType === undefined)
        violation('After a notification without an envelope, a request was served by an earlier revision.', frame);
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
