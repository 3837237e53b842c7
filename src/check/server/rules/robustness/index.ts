import type { ServerRule } from '../../server-rule.ts';
import { deepNesting, endlessLine, garbageControl, garbageText, invalidUtf8, otherJson } from './garbage.ts';
import { halfMessage } from './half-message.ts';
import { memory, slowReader, thousandRequests } from './load.ts';
import { hugeMethod, hugeNumbers, oddMembers, strayNotifications, strayResponses } from './odd-messages.ts';

export const robustnessRules: readonly ServerRule[] = [
  garbageText,
  garbageControl,
  invalidUtf8,
  otherJson,
  deepNesting,
  endlessLine,
  hugeNumbers,
  hugeMethod,
  oddMembers,
  strayResponses,
  strayNotifications,
  thousandRequests,
  slowReader,
  memory,
  halfMessage,
];
