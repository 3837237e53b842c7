// Writes the figures of the newest run of the scenario `fleet` to docs/fleet.md.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { putFigures } from '../figures.mjs';
import { scenarioTable, targetsTable } from '../table.mjs';

const folder = new URL('../results/', import.meta.url);
const runs = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
const run = runs.findLast(({ results }) => results.some(({ name }) => name === 'fleet'));
if (!run) throw new Error('the scenario `fleet` has not been run: npm run bench -- --only fleet');

const withoutHeading = (table) => table.split('\n').slice(2).join('\n');
const { cores, node } = run.machine;
const text = [
  withoutHeading(scenarioTable(run.results.find(({ name }) => name === 'fleet'))),
  withoutHeading(targetsTable(run.targets.filter(({ text }) => text.includes('plain NATS')))),
  `${cores} cores, Node ${node.slice(1).split('.')[0]}, all processes on one machine, the median of ${run.options.rounds} rounds.`,
].join('\n\n');
putFigures(fileURLToPath(new URL('../../docs/fleet.md', import.meta.url)), 'calls', text);
