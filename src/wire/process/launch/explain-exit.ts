// Explains the exit of a server: exit code or signal, phase of the connection, last line of stderr, and a hint.

import { type Evidence, ProcessError } from '../../../base/errors.ts';
import type { Diagnosis } from '../../diagnosis/symptoms.ts';

export function explainExit(evidence: Evidence, found?: Diagnosis): ProcessError {
  const lastWords = lastLine(evidence.stderrTail);
  return new ProcessError(
    'PROCESS_EXITED',
    `Server "${evidence.command}" ${manner(evidence)} ${when(evidence)}${lastWords ? `: ${lastWords}` : ''}`,
    found
      ? { evidence: { ...evidence, diagnosis: found.name }, hint: `The server ${found.problem}. ${found.fix}` }
      : { evidence, hint: hint(evidence) },
  );
}

function manner({ exitCode, signal }: Evidence): string {
  if (signal) return `was ended by ${signal}`;
  return `exited with code ${exitCode ?? 'unknown'}`;
}

function when({ phase }: Evidence): string {
  return phase === 'startup' ? 'before its first message' : 'while connected';
}

function lastLine(text: string | undefined): string | undefined {
  // npm ends with the path of its own log file.
  const lines = (text?.trimEnd().split('\n') ?? []).filter((line) => !/^npm (?:error|ERR!) A complete log/.test(line));
  // The last lines of a stack trace are rarely useful: `Node.js v20`, a brace, a stack frame.
  const telling = lines.findLast((line) => /^\s*(?:[\w.]*(?:Error|Exception)\b|fatal|panic)/i.test(line));
  return (telling ?? lines.at(-1))?.trim().slice(0, 300);
}

function hint({ phase, exitCode, signal, stderrTail, firstNoise }: Evidence): string {
  if (signal === 'SIGKILL') return 'It was killed from outside, often because the system ran out of memory.';
  if (exitCode === 127) return 'A command inside the server was not found: check PATH and the script that it starts.';
  if (phase === 'startup' && firstNoise !== undefined && stderrTail === undefined) {
    return `It printed "${firstNoise.slice(0, 80)}" to stdout and exited: check that this is the command that starts the server.`;
  }
  if (stderrTail !== undefined) return 'Its stderr output shows the reason.';
  return phase === 'startup'
    ? 'It wrote no output. Run the same command in a terminal: it must wait for input and not exit.'
    : 'It wrote nothing to stderr. Run it with debug logging enabled.';
}
