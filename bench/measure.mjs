// Rounds: in each, every contender is measured once, one after the other, so that whatever else the machine does meets
// all of them alike. A contender that fails at a case is not tried at it again. Figures are medians over the rounds, and
// so are ratios: of what two contenders did in the same round, moments apart.

import { measureInProcess } from './measured-process.mjs';

export async function measureScenario(scenario, { quick, rounds, profileFolder, onStep }) {
  const { name, title, metrics, contenders, ratios = [], roundsFactor = 1 } = scenario;
  const lastRound = quick ? rounds : rounds * roundsFactor;
  const cases = [];
  for (const each of scenario.cases({ quick })) {
    const cells = contenders.map((contender) => ({
      contender: contender.name,
      skipped: each.skip?.[contender.name],
      failed: undefined,
      samples: [],
    }));
    for (let round = 1; round <= lastRound; round++) {
      for (const cell of cells) {
        if (cell.skipped || cell.failed) continue;
        onStep(`${name}, ${each.label}, round ${round} of ${lastRound}: ${cell.contender}`);
        const job = { scenario: name, contender: cell.contender, case: each };
        const outcome = await measureInProcess(job, profileFolder);
        if (outcome.failed) cell.failed = outcome.failed;
        else cell.samples.push(outcome.sample);
      }
    }
    onStep('');
    for (const cell of cells) cell.medians = mediansOf(cell);
    cases.push({ label: each.label, metrics: each.metrics ?? metrics.map(({ key }) => key), cells });
  }
  return { name, title, metrics, contenders: contenders.map((contender) => contender.name), ratios, cases };
}

function mediansOf({ samples, failed }) {
  if (failed || samples.length === 0) return {};
  return Object.fromEntries(Object.keys(samples[0]).map((key) => [key, median(samples.map((sample) => sample[key]))]));
}

/** How the one compares with the other; not a number where either has no figure. */
export function ratioOf({ cells }, ours, theirs, key) {
  const [a, b] = [ours, theirs].map((name) => cells.find((cell) => cell.contender === name));
  const known = [a, b].every((cell) => cell.medians[key] !== undefined);
  return known ? median(a.samples.map((sample, round) => sample[key] / b.samples[round][key])) : Number.NaN;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
