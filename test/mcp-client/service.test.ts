// A stdio process behind a session of each revision passes the contract tests of services.

import { fileURLToPath } from 'node:url';
import { type ClientOptions, connect } from '../../src/entry/client.ts';
import { has, legacyRevisions, modernRevisions } from '../../src/mcp/revisions.ts';
import { contractServer, serviceContract } from '../contract/service.contract.ts';

async function open(options: ClientOptions) {
  const command = { command: process.execPath, args: [contractServer], stderr: 'inherit' } as const;
  const client = await connect(command, { capabilities: { elicitation: { form: {} } }, ...options });
  return { service: client.service, close: () => client.close() };
}

for (const revision of modernRevisions) {
  serviceContract(`a process that supports ${revision}`, () => open({ revision }), {
    skip: {
      'a subscriber gets log messages that are unrelated to a request':
        'the revision has log messages of requests only',
    },
  });
}

const legacySkips = {
  'a log message goes to the caller of its request': 'a legacy server logs for its session: watchers hear of it',
  'each of several callers gets only its own question': 'a question of a legacy server names no request',
};
const withoutElicitation = {
  ...legacySkips,
  'a question goes to its caller, and the answer to the handler': 'the revision has no elicitation',
};

for (const revision of legacyRevisions) {
  const skip = has(revision, 'elicitation') ? legacySkips : withoutElicitation;
  const noMessage = { 'progress goes to the caller of its request': 'the revision has no messages of progress' };
  serviceContract(`a process that supports ${revision}`, () => open({ revision }), {
    skip: has(revision, 'progressMessage') ? skip : { ...skip, ...noMessage },
  });
}

serviceContract(
  'a process that serves another one',
  async () => {
    const bridge = fileURLToPath(new URL('../fixtures/service-contract/bridge.mjs', import.meta.url));
    const client = await connect({ command: process.execPath, args: [bridge], stderr: 'inherit' });
    return { service: client.service, close: () => client.close() };
  },
  {
    skip: {
      'a subscriber gets log messages that are unrelated to a request':
        'the revision has log messages of requests only',
    },
  },
);
