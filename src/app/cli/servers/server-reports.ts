// Reports to stderr about servers: non-protocol text on stdout, deviations from the protocol, and unanswered elicitations.

import { isatty } from 'node:tty';
import { visibleIndented, visibleLine } from '../../../base/terminal/visible.ts';
import type { ServerWarning } from '../../../host/control/control-methods.ts';
import type { HostAccess } from '../../../host/control/host-access.ts';
import type { Unanswered } from '../../../host/services/process-service.ts';
import type { Output } from '../output/output.ts';

const MOST_CHARACTERS = 200;

/** Standpipe ignores such text, but other clients may fail on it. */
export function reportNoise(server: string, text: string, out: Output): void {
  out.tell('warning', noiseText(server, text));
  out.tell('hint', `stdout is for protocol messages only; print to stderr instead.`);
}

export function noiseText(server: string, text: string): string {
  const [line = ''] = text.trim().split(/\r?\n/);
  const shown = line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
  return `${visibleLine(server)} printed non-protocol text to stdout: ${visibleLine(shown)}`;
}

/**
 * Prints how servers deviated from the protocol and how Standpipe interpreted it. The warnings are also part of the --json document, so
 * that a corrected result is recognizable.
 */
export async function reportWarnings(
  host: HostAccess,
  servers: readonly string[],
  out: Output,
): Promise<{ warnings?: ServerWarning[] }> {
  const { warnings: ofHost } = await host.status().catch(() => ({ warnings: [] })); // the host is stopping
  const own = servers.flatMap((server) =>
    host.client(server).warnings.map(({ topic, message }) => ({ server, topic, message })),
  );
  const all = [...ofHost.filter(({ server }) => servers.includes(server)), ...own];
  const warnings = [...new Map(all.map((warning) => [JSON.stringify(warning), warning])).values()];
  for (const { server, message } of warnings) warnOnce(server, message, out);
  return warnings.length > 0 ? { warnings } : {};
}

const told = new WeakMap<Output, Set<string>>();

/** A warning that was printed when it arrived is not printed again at the end. */
export function warnOnce(server: string, message: string, out: Output): void {
  const text = `${visibleLine(server)}: ${visibleLine(message)}`;
  const before = told.get(out) ?? new Set();
  told.set(out, before);
  if (before.has(text)) return;
  before.add(text);
  out.tell('warning', text);
}

/** Whether the user can answer. `isatty` does not open stdin: its stream takes milliseconds to load. */
export function hasTerminal(): boolean {
  return isatty(0) && isatty(2);
}

export function reportUnanswered({ server, message, action }: Unanswered, out: Output): void {
  const what = action === 'decline' ? 'declined' : 'cancelled';
  out.say(
    `${visibleLine(server)} asks: ${visibleIndented(message)} — ${what}: there is no terminal to answer on. Run the command in a terminal to answer.`,
  );
}
