// Runs inside Wine or on Windows: `node driver.mjs <file of results> [word …]`. Runs the programs that show faults of
// Wine, and then the scenarios, one after another; with words, only scenarios whose file or title contains one of them.
// Each result is a line of JSON.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import { readFaults, readScenarios, runScenario } from './scenario.mjs';

const [resultsFile, ...words] = process.argv.slice(2);
const report = (result) => appendFileSync(resultsFile, `${JSON.stringify(result)}\n`);

writeFileSync(resultsFile, '');
const present = await presentFaults();
for (const scenario of await readScenarios(words)) {
  const error = await runScenario(scenario);
  const outcome = error === undefined ? 'passed' : present.has(scenario.wineFault) ? 'fault of Wine' : 'failed';
  console.log(`${outcome}: ${scenario.title}`);
  if (outcome === 'failed') console.log(`  ${String(error.stack ?? error).replaceAll('\n', '\n  ')}`);
  report({ title: scenario.title, outcome, ...(outcome === 'fault of Wine' && { fault: scenario.wineFault }) });
}
console.log('end of the scenarios');
process.exit(0); // even if a scenario left a pipe open

/** Names of the programs that exited with 1: these faults are present. 0 means that Wine behaves like Windows. */
async function presentFaults() {
  const present = new Set();
  for (const { name, path } of readFaults()) {
    const child = spawn(process.execPath, [path], { stdio: 'inherit', windowsHide: true });
    const [code] = await once(child, 'close');
    console.log(`${name}: ${code === 1 ? 'Wine has this fault' : code === 0 ? 'works' : `ended with ${code}`}`);
    report({ fault: name, present: code === 1 });
    if (code === 1) present.add(name);
  }
  return present;
}
