// Speaks 2026-07-28 without a library, and ends every subscription when its tool is called. With LIVES_FILE, its second
// process exits when it receives a subscription.

import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId';
const capabilities = { tools: { listChanged: true } };
const { LIVES_FILE } = process.env;
if (LIVES_FILE) appendFileSync(LIVES_FILE, 'x');
const life = LIVES_FILE ? readFileSync(LIVES_FILE).length : 0;
const open = [];
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const complete = (id, result) => send({ id, result: { resultType: 'complete', ...result } });

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'server/discover') complete(id, { supportedVersions: ['2026-07-28'], capabilities });
  else if (method === 'tools/list') complete(id, { tools: [{ name: 'end', inputSchema: { type: 'object' } }] });
  else if (method === 'subscriptions/listen') {
    if (life === 2) process.exit(1);
    const { notifications } = params;
    open.push(id);
    send({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications, _meta: { [SUBSCRIPTION_ID]: id } },
    });
  } else if (method === 'tools/call') {
    for (const subscription of open.splice(0)) complete(subscription, {});
    complete(id, { content: [] });
  }
});
