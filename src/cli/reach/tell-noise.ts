// What a server printed among its messages does no harm here, but other hosts stumble over it: whoever writes the server
// should know.

import type { Output } from '../output/output.ts';
import { visibleLine } from '../output/visible.ts';

const MOST_CHARACTERS = 200;

export function tellNoise(server: string, text: string, out: Output): void {
  const [line = ''] = text.trim().split(/\r?\n/);
  const shown = line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line;
  out.say(
    `${out.paintError('yellow', 'warning:')} ${visibleLine(server)} printed to stdout what is no message: ${visibleLine(shown)}`,
  );
  out.say(`${out.paintError('cyan', 'hint:')} stdout is for messages alone; let it print to stderr.`);
}
