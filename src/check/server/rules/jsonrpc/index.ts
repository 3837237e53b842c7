import type { ServerRule } from '../../server-rule.ts';
import { answeredOnce, noStrayAnswers } from './answers.ts';
import { atOnce, pingDuringCall, requestDuringCall } from './at-once.ts';
import { batchAnswerIsList, batchesAnswered, batchesSurvived, batchOfNotifications, emptyBatch } from './batches.ts';
import { invalidParams, invalidRequest, methodNotFound, parseError, unknownMethods } from './errors.ts';
import { errorIds, idSpelling, integerIds, stringIds } from './ids.ts';
import { positionalParams, unknownMembers, unknownParams } from './members.ts';
import { notificationsUnanswered, unknownNotifications, wrongNotificationsUnanswered } from './notifications.ts';
import { errorMembers, notificationIds, resultObject, resultOrError, versionMember } from './shapes.ts';

export const jsonrpcRules: readonly ServerRule[] = [
  versionMember,
  resultOrError,
  resultObject,
  errorMembers,
  notificationIds,
  integerIds,
  stringIds,
  errorIds,
  idSpelling,
  answeredOnce,
  noStrayAnswers,
  atOnce,
  pingDuringCall,
  requestDuringCall,
  unknownMethods,
  methodNotFound,
  invalidParams,
  positionalParams,
  unknownParams,
  unknownMembers,
  parseError,
  invalidRequest,
  notificationsUnanswered,
  wrongNotificationsUnanswered,
  unknownNotifications,
  batchesAnswered,
  batchAnswerIsList,
  batchOfNotifications,
  emptyBatch,
  batchesSurvived,
];
