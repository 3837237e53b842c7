// Describes the problems of one event as sentences for the user.

import type { FlowEvent, FrameEvent } from '../flow/event.ts';
import type { Analysis } from './analysis.ts';
import { httpProblems, httpWords } from './http-problems.ts';
import { frameViolations } from './schema-check.ts';

export async function eventProblems(event: FlowEvent, analysis: Analysis): Promise<string[]> {
  switch (event.kind) {
    case 'fault':
      return [faultWords[event.code]];
    case 'frame':
      return frameProblems(event, analysis);
    case 'exit':
      return event.exitCode === 0 ? [] : ['The process exited with an error. Its stderr shows its last output.'];
    case 'http':
      return httpProblems(event).map((problem) => httpWords[problem].explanation);
    default:
      return [];
  }
}

const faultWords = {
  FRAME_TOO_LONG: 'The message was longer than maxFrameBytes. It was skipped, and only its beginning is shown.',
  FRAME_TRUNCATED: 'The stream ended in the middle of this message.',
  FRAME_LENGTH_INVALID: 'The length prefix of the message is invalid, so the next message cannot be found.',
};

async function frameProblems(event: FrameEvent, analysis: Analysis): Promise<string[]> {
  const { kind, messages, noise, lite } = analysis.describe(event);
  if (lite) return [];
  const problems: string[] = [];
  if (kind === 'noise' && event.http) problems.push('The body of the response is not a message.');
  else if (kind === 'noise') {
    problems.push(
      'The server printed non-protocol text to stdout. Strict hosts close the connection when they read it.',
    );
  } else if (noise !== undefined) {
    problems.push(`Text precedes the message on the same line: ${JSON.stringify(noise.slice(0, 200))}`);
  }
  for (const { problem } of messages) if (problem !== undefined) problems.push(problem);
  if (event.cut) return problems; // incomplete because only its two ends were stored
  const violations = await frameViolations(event, analysis.exchangesOf(event.seq));
  if (violations.length > 0) analysis.noteViolation(event, violations[0]!);
  return [...problems, ...violations];
}
