// Labels and arrows for the direction of a message.

import type { EventRow } from '../../../src/app/inspector/api.ts';

type Direction = NonNullable<EventRow['direction']>;

const words: Record<Direction, string> = {
  toServer: 'to the server',
  fromServer: 'from the server',
  fromClient: 'from the client',
  toClient: 'to the client',
};

export function wordsOf(direction: Direction): string {
  return words[direction];
}

/** → towards the server, ← towards the client. */
export function arrowOf(direction: Direction | undefined): string {
  return direction === 'toServer' || direction === 'fromClient' ? '→' : '←';
}
