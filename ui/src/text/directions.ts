// The ways of a message, in words.

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

/** From the client to the server, or back. */
export function arrowOf(direction: Direction | undefined): string {
  return direction === 'toServer' || direction === 'fromClient' ? '→' : '←';
}
