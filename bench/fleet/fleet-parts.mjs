// The parts of a fleet node, bundled from the sources once for each run, because the package does not export them.

import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

const source = (path) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));
const outFile = new URL('../results/fleet-parts.mjs', import.meta.url);

const files = [
  'host/fleet/fleet-node.ts',
  'host/fleet/nats/open-network.ts',
  'host/fleet/node/answer-node-requests.ts',
  'host/fleet/node/claims/claims.ts',
  'host/fleet/node/node-lease.ts',
  'host/fleet/place/placer.ts',
  'host/fleet/route/routing-table.ts',
  'host/host.ts',
];

/** Resolves to the address of the bundle. */
export async function bundleFleetParts() {
  const entry = 'fleet-parts';
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: (id) => /^[@a-z]/.test(id) && id !== entry,
    logLevel: 'silent',
    plugins: [
      {
        name: entry,
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) =>
          id === entry ? files.map((file) => `export * from ${JSON.stringify(source(file))};`).join('\n') : undefined,
      },
    ],
  });
  await bundle.write({ file: fileURLToPath(outFile), format: 'esm', codeSplitting: false });
  await bundle.close();
  return outFile.href;
}
