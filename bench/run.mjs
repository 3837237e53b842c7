// The whole run: prepares the clone, measures every scenario, prints the tables and stores the figures as JSON. The
// exit code is 0, whatever the figures are. The names of scenarios and contenders do not occur here.

import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hotSpots } from './hot-spots.mjs';
import { measureScenario } from './measure.mjs';
import { readOptions } from './options.mjs';
import { prepare } from './prepare.mjs';
import { loadScenarios } from './scenarios.mjs';
import { scenarioTable, targetsTable } from './table.mjs';
import { judgeTargets } from './targets.mjs';

const options = readOptions(process.argv.slice(2));
prepare();

const resultsFolder = fileURLToPath(new URL('results/', import.meta.url));
const startedAt = new Date();
const stamp = startedAt.toISOString().replaceAll(':', '-').slice(0, 19);
const profileFolder = options.profile ? `${resultsFolder}${stamp}-profiles` : undefined;

const results = [];
const targets = [];
for (const scenario of await loadScenarios(options.only)) {
  const result = await measureScenario(scenario, { ...options, profileFolder, onStep: showStep });
  results.push(result);
  targets.push(...judgeTargets(scenario, result));
  console.log(`\n${scenarioTable(result)}`);
}
if (targets.length > 0) console.log(`\n${targetsTable(targets)}`);
if (profileFolder) console.log(`\n${hotSpots(profileFolder)}`);

const machine = { node: process.version, platform: process.platform, cpu: cpus()[0]?.model, cores: cpus().length };
mkdirSync(resultsFolder, { recursive: true });
const file = `${resultsFolder}${stamp}.json`;
writeFileSync(file, `${JSON.stringify({ startedAt, machine, options, results, targets }, null, 2)}\n`);
const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
console.log(`\n${seconds} s in all; every sample is in ${relative(process.cwd(), file)}`);

/** On a terminal, one line shows the current step; the next step overwrites it. */
function showStep(step) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${step}`);
}
