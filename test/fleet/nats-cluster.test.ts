// A fleet whose NATS is a cluster of three servers. Versions of NATS before 2.9.21 do not compare revisions reliably where a bucket has
// replicas, and are refused there.

import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Fabric } from '../../src/fleet/fabric.ts';
import { openFabric } from '../../src/fleet/nats/open-fabric.ts';
import { NatsCluster } from '../fixtures/fleet/nats-cluster.ts';

let cluster: NatsCluster;
beforeAll(async () => {
  cluster = await NatsCluster.open();
});

async function open(fleet: string, servers = cluster.urls): Promise<Fabric> {
  const fabric = await openFabric({ servers, fleet, name: 'a', lifetimeMs: 1000, replicas: 3 });
  onTestFinished(() => fabric.close());
  return fabric;
}

test('of many changes at one revision of a replicated bucket one is made, or the version of NATS is refused', async () => {
  const fabrics = await Promise.all(cluster.urls.map((url) => open('one-wins', [url]))).catch((error) => {
    expect(error).toMatchObject({ code: 'FLEET_REFUSED', message: expect.stringContaining('compare revisions') });
    return [];
  });
  for (let round = 0; round < (fabrics.length > 0 ? 20 : 0); round++) {
    const { nodes } = fabrics[0]!.directory;
    const revision = (await nodes.create(`n${round}`, { name: 'x' } as never))!;
    const changes = fabrics.flatMap(({ directory }) =>
      [1, 2].map((pid) => directory.nodes.update(`n${round}`, { pid } as never, revision)),
    );
    expect((await Promise.all(changes)).filter((made) => made !== undefined)).toHaveLength(1);
  }
});
