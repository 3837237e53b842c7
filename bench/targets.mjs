// The targets of a scenario: `{ text, value, atLeast | atMost }`, where `value` computes one number from medians,
// ratios and differences. A target whose figures are missing is neither reached nor missed.

import { differenceOf, ratioOf } from './measure.mjs';

export function judgeTargets({ targets = [] }, { cases }) {
  const caseOf = (label) => cases.find((each) => each.label === label);
  const figures = {
    labels: cases.map((each) => each.label),
    median: (label, contender, key) =>
      caseOf(label)?.cells.find((cell) => cell.contender === contender)?.medians[key] ?? Number.NaN,
    ratio: (label, ours, theirs, key) => (caseOf(label) ? ratioOf(caseOf(label), ours, theirs, key) : Number.NaN),
    difference: (label, ours, theirs, key) =>
      caseOf(label) ? differenceOf(caseOf(label), ours, theirs, key) : Number.NaN,
  };
  return targets.map(({ text, value, atLeast, atMost }) => {
    const measured = value(figures);
    const limit = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
    if (!Number.isFinite(measured)) return { text, limit, value: undefined, reached: undefined };
    const reached = atLeast === undefined ? measured <= atMost : measured >= atLeast;
    return { text, limit, value: measured, reached };
  });
}
