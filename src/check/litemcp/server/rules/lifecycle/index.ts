import type { LiteServerRule } from '../../lite-server-rule.ts';
import { answersInFlight, callInFlight, endOfInput, nothingLeft, sigterm } from './end.ts';
import { slowReader, survivesGarbage, survivesNesting, unreadStderr } from './robustness.ts';

export const lifecycleRules: readonly LiteServerRule[] = [
  endOfInput,
  answersInFlight,
  callInFlight,
  sigterm,
  nothingLeft,
  survivesGarbage,
  survivesNesting,
  slowReader,
  unreadStderr,
];
