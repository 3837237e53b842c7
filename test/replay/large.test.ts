// A recording of 200,000 events is used while it is read, and its messages stay in the file.

import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientOf } from '../../src/entry/client.ts';
import { folder, replayed, textOf, WrittenRecording } from './written-recording.ts';

const CALLS = 50_000;
const PAYLOAD = 'x'.repeat(500);

async function writeLarge(): Promise<string> {
  const file = join(folder, 'large.jsonl');
  const stream = createWriteStream(file);
  const recording = new WrittenRecording().initialize();
  for (let id = 0; id < CALLS; id++) {
    recording.request(id, 'tools/call', { name: 'tool', arguments: { id }, _meta: { progressToken: id } });
    recording.notify('notifications/progress', { progressToken: id, progress: 1 });
    recording.stderr('working\n').text(id, `${id} ${PAYLOAD}`);
    if (id % 1000 === 999) stream.write(`${recording.lines.splice(0).join('\n')}\n`);
  }
  await new Promise<void>((resolve) => stream.end(resolve));
  return file;
}

test('the first answer needs only the beginning of the file, and no message is held', async () => {
  const service = replayed(await writeLarge());
  const client = await clientOf(service, { checkOutput: false });
  expect(textOf(await client.callTool('tool', { id: 0 }))).toMatch(/^0 x/);
  expect(service.session.eventsRead).toBeLessThan(CALLS);
  expect(textOf(await client.callTool('tool', { id: CALLS - 1 }))).toMatch(/^49999 x/);
  expect(service.session.eventsRead).toBe(CALLS * 4 + 2);
  const { exchanges } = await service.session.read();
  expect(exchanges).toHaveLength(CALLS);
  // Places, numbers and a key: the payloads alone have 500 characters.
  const held = exchanges.slice(0, 1000).reduce((sum, exchange) => sum + JSON.stringify(exchange).length, 0);
  expect(held / 1000).toBeLessThan(1200);
  expect(JSON.stringify(exchanges[0])).not.toContain('xxx');
});
