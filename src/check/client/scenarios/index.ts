// All scenarios. Those that take longest come first: they are started first.

import type { Scenario } from '../scenario.ts';
import { bytes, noise, pages, questions, slow } from './disturbances.ts';
import { crashAtCall, crashAtStart, stubborn } from './ends.ts';
import { modernOnly, older, plain, refusesDiscover, silentOnDiscover, unknownVersion } from './versions.ts';

export {
  bytes,
  crashAtCall,
  crashAtStart,
  modernOnly,
  noise,
  older,
  pages,
  plain,
  questions,
  refusesDiscover,
  silentOnDiscover,
  slow,
  stubborn,
  unknownVersion,
};

export const scenarios: readonly Scenario[] = [
  silentOnDiscover,
  stubborn,
  slow,
  older,
  plain,
  refusesDiscover,
  unknownVersion,
  modernOnly,
  bytes,
  noise,
  questions,
  pages,
  crashAtStart,
  crashAtCall,
];
