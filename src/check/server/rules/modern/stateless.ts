// Each request stands alone: nothing that an earlier one said counts.

import { notApplicable, violation } from '../../../verdict.ts';
import { type Answer, describeError, readAnswer, withEnvelope } from '../../conversation.ts';
import type { Probe } from '../../probe.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { modernRule, page } from './modern-rule.ts';
import { allCapabilities, asks, freshAskingCall } from './tried-calls.ts';

const source = page('basic/index#statelessness');

/** A method that every server has that offers anything. */
function listOf({ facts }: ServerRuleRun): string {
  const kind = (['tools', 'resources', 'prompts'] as const).find((each) => facts.capabilities[each]);
  return kind ? `${kind}/list` : notApplicable('the server has no tools, resources or prompts to list');
}

async function ask(ruleRun: ServerRuleRun, probe: Probe, method: string, what: string): Promise<Answer> {
  const id = probe.newId();
  probe.send({ jsonrpc: '2.0', id, method, params: withEnvelope(undefined, ruleRun.revision, {}) });
  return readAnswer(await probe.answerTo(id, `\`${method}\` ${what}`), id);
}

/** An answer that a request gets in any case says nothing about what came before it. */
async function mustBeServedAfterDiscover(ruleRun: ServerRuleRun, method: string): Promise<void> {
  const probe = await ruleRun.start();
  await ask(ruleRun, probe, 'server/discover', 'as the first request');
  const { result, error } = await ask(ruleRun, probe, method, 'after `server/discover`');
  if (error) notApplicable(`\`${method}\` is refused after \`server/discover\` too: ${describeError(error)}`);
  if (result && result.resultType === undefined)
    notApplicable(`\`${method}\` after \`server/discover\` has no \`resultType\` either (modern/result-type)`);
}

export const statelessRules = [
  modernRule({
    id: 'modern/no-handshake',
    level: 'MUST',
    title: 'serve the first request of a connection',
    says: 'There is no handshake: a client may send any request first, also before `server/discover`.',
    source,
    fix: {
      any: 'Serve every request that has the envelope in `_meta`. Do not wait for `initialize` or `server/discover`.',
    },
    uses: 'own',
    check: async (ruleRun) => {
      const method = listOf(ruleRun);
      const { error, frame } = await ask(ruleRun, await ruleRun.start(), method, 'as the first request');
      if (!error) return;
      await mustBeServedAfterDiscover(ruleRun, method);
      violation(`\`${method}\` as the first request got the error ${describeError(error)}.`, frame);
    },
  }),
  modernRule({
    id: 'modern/era-of-each-request',
    level: 'MUST',
    title: 'serve a request of this revision by it, whatever came before',
    says: 'A request with the envelope in `_meta` is served by this revision. A notification before it, which has no envelope, does not change that: a client may cancel `server/discover`.',
    source: { of: 'mcp', page: 'basic/index#statelessness' },
    fix: {
      any: 'Choose the era by `_meta` of each request. Only `initialize` chooses an earlier one for the connection.',
    },
    uses: 'own',
    check: async (ruleRun) => {
      const method = listOf(ruleRun);
      const probe = await ruleRun.start();
      const requestId = probe.newId();
      const params = withEnvelope(undefined, ruleRun.revision, {});
      probe.send({ jsonrpc: '2.0', id: requestId, method: 'server/discover', params });
      probe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
      const { result, error } = await ask(ruleRun, probe, method, 'after a notification');
      const after = 'After a notification without an envelope, a request';
      if (!error && (!result || result.resultType !== undefined)) return;
      const conversation = [...probe.transcript.entries];
      await mustBeServedAfterDiscover(ruleRun, method);
      const served = error ? `got the error ${describeError(error)}` : 'was served by an earlier revision';
      violation(`${after} ${served}.`, ...conversation);
    },
  }),
  modernRule({
    id: 'modern/capabilities-of-each-request',
    level: 'MUST',
    title: 'use the capabilities of each request, and no others',
    says: 'A server relies on no earlier request of the connection for the capabilities of the client. Two requests at once are each served by their own.',
    source,
    fix: {
      any: 'Read `io.modelcontextprotocol/clientCapabilities` from the request that is served. Do not keep it for the connection.',
    },
    uses: 'own',
    check: async (ruleRun) => {
      const asking = await freshAskingCall(ruleRun);
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
      if (!asks(able) && asks(await asking.request({}, allCapabilities)))
        violation('A client with capabilities was not asked because another request had none.', able.frame);
    },
  }),
];
