// The frames of a violation on a terminal: few and short, unless all are asked for.

import { counted } from '../../base/terminal/counted.ts';
import { cutToWidth } from '../../base/terminal/text-width.ts';
import { visible } from '../../base/terminal/visible.ts';
import { endOf } from './evidence.ts';
import { relevantFrames } from './relevant-frames.ts';
import type { EvidenceLine } from './report.ts';
import type { OutcomeGroup } from './rule-results.ts';
import type { Lines } from './text-lines.ts';

const labels: Readonly<Record<EvidenceLine['kind'], string>> = {
  sent: '→',
  received: '←',
  stderr: 'stderr',
  event: '·',
};
/** Of one violation, unless verbose. What was sent is often at the start, what is wrong at the end. */
const FIRST_FRAMES = 3;
const LAST_FRAMES = 5;
const SHOWN_CHARS = 300;
/** A trace of a crash is longer than a frame need be. */
const SHOWN_STDERR_CHARS = 1_500;

/** Of the newest revision; of all of them and in full if verbose. */
export function frameLines({ outcomes }: OutcomeGroup, lines: Lines, verbose: boolean): void {
  if (!verbose) return fewFrames(relevantFrames(outcomes[0]!.evidence ?? []), lines);
  for (const { revision, evidence = [] } of outcomes) {
    if (revision && evidence.length > 0) lines.add(4, revision, 'bold');
    for (const line of evidence) frameLine(line, lines, Number.POSITIVE_INFINITY);
  }
}

function fewFrames(frames: readonly EvidenceLine[], lines: Lines): void {
  const left = frames.length - FIRST_FRAMES - LAST_FRAMES;
  const isCut = left > 1;
  for (const line of isCut ? frames.slice(0, FIRST_FRAMES) : frames) frameLine(line, lines, shownChars(line));
  if (!isCut) return;
  lines.add(4, `… ${counted(left, 'line')}`, 'dim');
  for (const line of frames.slice(-LAST_FRAMES)) frameLine(line, lines, shownChars(line));
}

function shownChars({ kind }: EvidenceLine): number {
  return kind === 'stderr' ? SHOWN_STDERR_CHARS : SHOWN_CHARS;
}

function frameLine({ kind, text, bytes }: EvidenceLine, lines: Lines, mostChars: number): void {
  const part = kind === 'stderr' ? endOf(text.trimEnd(), mostChars) : cutToWidth(text, mostChars);
  const shown = text.length > mostChars ? `${part} (${counted(bytes, 'byte')})` : text;
  lines.labelled(4, labels[kind], visible(shown.trimEnd()), 'dim');
}
