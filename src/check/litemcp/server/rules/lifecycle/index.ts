import type { LiteServerRule } from '../../lite-server-rule.ts';
import { endOfInput, exitCode, nothingLeft, sigterm } from './end.ts';
import { slowReader, survivesGarbage, survivesNesting, unreadStderr } from './robustness.ts';

export const lifecycleRules: readonly LiteServerRule[] = [
  endOfInput,
  exitCode,
  nothingLeft,
  sigterm,
  survivesGarbage,
  survivesNesting,
  slowReader,
  unreadStderr,
];
