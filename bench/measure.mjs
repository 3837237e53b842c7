// Rounds: each round measures every contender once, one after the other, so that other load on the machine affects all
// of them alike. A contender that fails at a case is not measured at it again. Figures are medians over the rounds.
// Ratios and differences compare two contenders within a round, and are medians too.

import { measureInProcess } from './measured-process.mjs';

/** A scenario may have a background that runs beside all of its samples and ends with them. */
export async function measureScenario(scenario, options) {
  const background = await scenario.background?.();
  try {
    return await measureCases(scenario, background?.shared, options);
  } finally {
    await background?.end();
  }
}

async function measureCases(scenario, shared, { quick, rounds, profileFolder, onStep }) {
  const { name, title, metrics, contenders, ratios = [], differences = [], roundsFactor = 1 } = scenario;
  const cases = [];
  for (const each of scenario.cases({ quick })) {
    const cells = contenders.map((contender) => ({
      contender: contender.name,
      skipped: each.skip?.[contender.name],
      failed: undefined,
      samples: [],
    }));
    const lastRound = Math.min(quick ? rounds : rounds * roundsFactor, each.mostRounds ?? Number.POSITIVE_INFINITY);
    for (let round = 1; round <= lastRound; round++) {
      for (const cell of cells) {
        if (cell.skipped || cell.failed) continue;
        onStep(`${name}, ${each.label}, round ${round} of ${lastRound}: ${cell.contender}`);
        const job = { scenario: name, contender: cell.contender, case: each, shared };
        const outcome = await measureInProcess(job, profileFolder);
        if (outcome.failed) cell.failed = outcome.failed;
        else cell.samples.push(outcome.sample);
      }
    }
    onStep('');
    for (const cell of cells) cell.medians = mediansOf(cell);
    cases.push({ label: each.label, metrics: each.metrics ?? metrics.map(({ key }) => key), cells });
  }
  return {
    name,
    title,
    metrics,
    contenders: contenders.map((contender) => contender.name),
    ratios,
    differences,
    cases,
  };
}

function mediansOf({ samples, failed }) {
  if (failed || samples.length === 0) return {};
  return Object.fromEntries(Object.keys(samples[0]).map((key) => [key, median(samples.map((sample) => sample[key]))]));
}

/** Ratio of our figure to that of the other contender; NaN if one of them is missing. */
export function ratioOf(each, ours, theirs, key) {
  return compared(each, ours, theirs, key, (a, b) => a / b);
}

/** Difference of our figure and that of the other contender, in the unit of the figures. */
export function differenceOf(each, ours, theirs, key) {
  return compared(each, ours, theirs, key, (a, b) => a - b);
}

function compared({ cells }, ours, theirs, key, compare) {
  const [a, b] = [ours, theirs].map((name) => cells.find((cell) => cell.contender === name));
  const known = [a, b].every((cell) => cell.medians[key] !== undefined);
  return known ? median(a.samples.map((sample, round) => compare(sample[key], b.samples[round][key]))) : Number.NaN;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
