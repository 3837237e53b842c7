// Finds the reason why a server did not answer, if its output proves it: takes symptoms and returns the finding of the
// first rule that applies. Rules about an answer in the wrong form come first, because they need no guess.

import { shellHere } from '../../base/command-line.ts';
import { messageForm } from './message-form.ts';
import { missingPart } from './missing-part.ts';
import { Observations } from './observations.ts';
import type { Rule } from './rule.ts';
import type { Diagnosis, Symptoms } from './symptoms.ts';
import { usageRules, waiting } from './waiting.ts';
import { wrongInterpreter } from './wrong-interpreter.ts';

const others: readonly Rule[] = [...wrongInterpreter, ...missingPart, ...waiting, ...usageRules];
export const rules: readonly Rule[] = [...messageForm, ...others];

/** Diagnoses one line of stdout that is not a message. */
export function diagnoseLine(line: string): Diagnosis | undefined {
  const stdout = new TextEncoder().encode(`${line}\n`);
  const observed = new Observations({
    command: '',
    framing: 'newline',
    stdout,
    stdoutBytes: stdout.length,
    stderr: '',
  });
  return firstFound(messageForm, observed);
}

/** `shell` is that of the system where the server runs. */
export function diagnose(symptoms: Symptoms, shell = shellHere): Diagnosis | undefined {
  const { redact = (text: string) => text } = symptoms;
  const found = firstFound(symptoms.framing === 'newline' ? rules : others, new Observations(symptoms, shell));
  return found && { ...found, problem: redact(found.problem), fix: redact(found.fix) };
}

function firstFound(list: readonly Rule[], observed: Observations): Diagnosis | undefined {
  for (const { name, isFinal = false, find } of list) {
    const finding = find(observed);
    if (finding) return { name, isFinal, ...finding };
  }
  return undefined;
}
