import type { LiteServerRule } from '../../lite-server-rule.ts';
import { extraArguments, largeArgument, missingArguments, otherTool, textIsKept } from './arguments.ts';
import { callsAtOnce, examplesWork, paramsByName, resultIsTheAnswer } from './call.ts';

export const callsRules: readonly LiteServerRule[] = [
  resultIsTheAnswer,
  examplesWork,
  paramsByName,
  callsAtOnce,
  textIsKept,
  missingArguments,
  extraArguments,
  otherTool,
  largeArgument,
];
