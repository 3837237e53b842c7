// Prints an error with its evidence and hint. With --json, prints the same data as a JSON document.

import { describeError } from '../../base/error-json.ts';
import { StandpipeError, toError } from '../../base/errors.ts';
import { counted } from '../../base/terminal/counted.ts';
import { visibleIndented, visibleLine } from '../../base/terminal/visible.ts';
import { exitCodeOf } from './exit-code.ts';
import type { Output } from './output/output.ts';

/** Limit for printed lines of stderr. --json has all stored lines. */
const STDERR_LINES = 20;

export function showError(thrown: unknown, out: Output, verbose: boolean): void {
  const error = toError(thrown);
  if (out.json) out.document({ error: errorDocument(error) });
  const paint = out.paintError;
  out.tell('error', visibleIndented(error.message));
  if (!(error instanceof StandpipeError)) {
    out.say('This is a bug in standpipe; please report it with the details below.');
    out.say(visibleIndented(error.stack ?? ''));
    return;
  }
  for (const line of evidenceLines(error)) out.say(paint('dim', line));
  if (error.hint) out.tell('hint', visibleIndented(withCliOptionNames(error.hint)));
  if (!verbose) return;
  // A stack trace of Standpipe is useful only for its own defects.
  for (let cause = error.cause; cause !== undefined; cause = toError(cause).cause) {
    out.say(paint('dim', `caused by: ${visibleIndented(toError(cause).message)}`));
  }
}

/** Hints use option names of the library, which differ on the command line. */
function withCliOptionNames(hint: string): string {
  return hint.replace(/\b(?:startupTimeoutMs|requestTimeoutMs|timeoutMs)\b/, '--timeout');
}

export function errorDocument(error: Error): { hint?: string; exitCode: number } {
  const { kind: _kind, ...described } = describeError(error);
  return { code: 'INTERNAL', ...described, exitCode: exitCodeOf(error) };
}

export function evidenceLines({ evidence }: StandpipeError): string[] {
  if (!evidence) return [];
  const { command, exitCode, signal, stderrTail, firstNoise } = evidence;
  return [
    ...(command ? [`  command: ${visibleLine(command)}`] : []),
    ...(typeof exitCode === 'number' ? [`  exit code: ${exitCode}`] : []),
    ...(signal ? [`  signal: ${signal}`] : []),
    ...(firstNoise ? [stdoutLine(firstNoise)] : []),
    ...stderrTailLines(stderrTail ?? ''),
  ];
}

export function stdoutLine(firstNoise: string): string {
  return `  stdout had: ${visibleLine(firstNoise.slice(0, 200))}`;
}

export function stderrTailLines(text: string): string[] {
  const lines = text.trimEnd().split('\n');
  const left = lines.length - STDERR_LINES;
  return [
    ...(left > 0 ? [`  stderr: … ${counted(left, 'line')} before`] : []),
    ...lines
      .slice(-STDERR_LINES)
      .filter((line) => line !== '')
      .map((line) => `  stderr: ${visibleLine(line.slice(0, 500))}`),
  ];
}
