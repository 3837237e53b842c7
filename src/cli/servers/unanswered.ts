// Questions that nobody answers. Apart from those that a person does answer: most calls need neither, and load only this.

import type { Unanswered } from '../../host/process-service.ts';
import type { Output } from '../output/output.ts';
import { visible, visibleLine } from '../output/visible.ts';

/** Whether somebody can be asked: both ends of the terminal are needed. */
export function isSomebodyThere(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

export function tellUnanswered({ server, message, action }: Unanswered, out: Output): void {
  const what = action === 'decline' ? 'declined' : 'cancelled';
  out.say(
    `${visibleLine(server)} asks: ${visible(message)} — ${what}: there is no terminal to answer on. Run the command in a terminal to answer.`,
  );
}
