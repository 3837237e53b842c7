import { expect, test } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { NatsBucket } from './nats-bucket.ts';
import { KnownRevisions } from './nats-table.ts';

test('refuses an outdated answer, and drops entries that were not seen for long', async () => {
  const bucket = {
    isReplicated: true,
    created: 'then',
    stream: 'KV_x',
    link: { clock: new ManualClock() },
    info: async () => ({ created: 'then' }),
  };
  const known = new KnownRevisions(bucket as unknown as NatsBucket);
  known.saw('first', 2);
  known.saw('', 3);
  for (let i = 0; i < 100_000; i++) {
    known.saw(`node-${i}`, i + 4);
    known.saw('', i + 4);
  }
  await expect(known.check('', 3)).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' });
  await expect(known.check('node-99999', 3)).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' });
  await known.check('first', 1);
  expect(known.size).toBeLessThanOrEqual(100_000);
});
