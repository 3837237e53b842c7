import type { LiteServerRule } from '../../lite-server-rule.ts';
import { envelope, resultShape, version } from './envelope.ts';
import { answeredOnce, idsAreEchoed, onlyAnswers, repeatedIds } from './ids.ts';
import { getWithoutData, opens, parameterNames, toolShape } from './info.ts';
import { answersAreNotAnswered, unknownTypes } from './types.ts';

export const messagesRules: readonly LiteServerRule[] = [
  opens,
  getWithoutData,
  toolShape,
  parameterNames,
  envelope,
  version,
  resultShape,
  idsAreEchoed,
  onlyAnswers,
  answeredOnce,
  repeatedIds,
  unknownTypes,
  answersAreNotAnswered,
];
