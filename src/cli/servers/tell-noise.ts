// What a server printed among its messages does no harm here, but other hosts stumble over it: whoever writes the server
// should know.

import type { Output } from '../output/output.ts';
import { visibleLine } from '../output/visible.ts';

const MOST_CHARACTERS = 200;

export function tellNoise(server: string, text: string, out: Output): void {
  out.say(`${out.paintError('yellow', 'warning:')} ${noiseText(server, text)}`);
  out.say(`${out.paintError('cyan', 'hint:')} stdout is for protocol messages only; print to stderr instead.`);
}

export function noiseText(server: string, text: string): string {
  const [line = ''] = text.trim().split(/\r?\n/);
  const shown = line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
  return `${visibleLine(server)} printed non-protocol text to stdout: ${visibleLine(shown)}`;
}
