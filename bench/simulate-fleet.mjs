// A fleet of many nodes in one process, with a real NATS server: the number of messages while it is idle and while
// nodes leave and join, and the time until everything is placed. Figures only.

import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { putFigures } from './figures.mjs';
import { simulateFleet } from './fleet/simulate.mjs';
import { figuresOf } from './fleet/simulation-table.mjs';

const USAGE = `node bench/simulate-fleet.mjs [--nodes n]… [--servers n] [--tables n] [--seconds n] [--update]

  --nodes n     how many nodes; may be repeated (default 100, 300, 1,000)
  --servers n   servers of the fleet for each node, one replica each (default 20)
  --tables n    nodes with the routing table that a node has for its clients (default 5)
  --seconds n   how long messages are counted (default 60)
  --update      writes the figures to docs/fleet.md`;

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', multiple: true, default: ['100', '300', '1000'] },
    servers: { type: 'string', default: '20' },
    tables: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
    update: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}

const [servers, tables, seconds] = [values.servers, values.tables, values.seconds].map(Number);
const runs = [];
for (const nodes of values.nodes.map(Number)) {
  const show = (step) => console.error(`${nodes} nodes: ${step}`);
  runs.push(await simulateFleet({ nodes, servers, tables, seconds, show }));
}
const machine = `${cpus().length} cores, Node ${process.versions.node.split('.')[0]}, everything on one machine`;
const text = figuresOf(runs, machine);
console.log(text);
if (values.update) putFigures(fileURLToPath(new URL('../docs/fleet.md', import.meta.url)), 'nodes', text);
process.exit();
