// The output of a server that does not answer, for the diagnosis of Standpipe.

import type { Symptoms } from '../../wire/diagnosis/symptoms.ts';
import { type Frame, messagesOf, type Probe } from './probe.ts';

const HEAD_BYTES = 8 * 1024;
const newline = Buffer.from('\n');
/** Faults of the end of stdout. */
const isWithoutNewline = new Set<Frame['fault']>(['no newline', 'cut']);

/** `bytesBeforeEof`: length of stdout when stdin was closed. */
export function symptomsOf(probe: Probe, bytesBeforeEof?: number): Symptoms {
  const { process } = probe;
  const { command = '', stderrTail = '', exitCode, signal } = process.evidence('startup');
  const stdout = stdoutOf(probe);
  return {
    command,
    framing: 'newline',
    stdout: stdout.subarray(0, HEAD_BYTES),
    stdoutBytes: stdout.length,
    bytesBeforeEof,
    stderr: stderrTail,
    withheld: process.withheld,
    exitCode,
    signal,
    redact: (text) => process.redact(text),
  };
}

export function stdoutOf({ frames, rest }: Probe): Buffer {
  const lineOf = ({ bytes, fault }: Frame) => (isWithoutNewline.has(fault) ? [bytes] : [bytes, newline]);
  return Buffer.concat([...frames.flatMap(lineOf), rest]);
}

/** Whether the command writes its input back. */
export function isEcho({ frames }: Probe): boolean {
  return frames.some((frame) =>
    messagesOf(frame).some(({ method }) => method === 'initialize' || method === 'server/discover'),
  );
}
