import type { ServerRule } from '../../server-rule.ts';
import { cancellationKeepsTheServerAlive, cancelledIsUnanswered, lateCancellations } from './cancellation.ts';
import { capabilitiesAreDeclared, changesAreDeclared } from './capabilities.ts';
import { completionResults, unknownReferences } from './completion.ts';
import { annotations, base64, contentMembers, contentTypes } from './content.ts';
import {
  cursorsAreAccepted,
  invalidCursors,
  listsAreAnswered,
  listsEnd,
  listsKeepTheirOrder,
  pagesDoNotOverlap,
} from './lists.ts';
import { levelIsObeyed, levelsAreAccepted, logMessages, logsAreDeclared, unknownLevels } from './logging.ts';
import { memberNames } from './member-names.ts';
import { icons, metaKeys } from './meta.ts';
import { fitsOfficialSchema } from './official-schema.ts';
import { progressIncreases, progressNeedsAToken, progressStops, progressTokens } from './progress.ts';
import {
  missingPromptArguments,
  promptEntries,
  promptNamesAreUnique,
  promptResults,
  promptsCanBeGot,
  unknownPrompts,
} from './prompts.ts';
import { toolOutput } from './refused-output.ts';
import {
  resourceContents,
  resourceEntries,
  resourcesCanBeRead,
  resourceUris,
  resourceUrisAreUnique,
  unknownResources,
  unknownResourcesSince2026,
} from './resources.ts';
import { subscriptionsAreAnswered, updatesAreForSubscribers } from './subscriptions.ts';
import { templateEntries, uriTemplates } from './templates.ts';
import {
  argumentsMayBeAbsent,
  argumentTypes,
  callsKeepTheServerAlive,
  missingArguments,
  toolErrors,
  unknownTools,
} from './tool-calls.ts';
import {
  inputSchemas,
  outputSchemas,
  toolAnnotations,
  toolEntries,
  toolNames,
  toolNamesAreUnique,
} from './tool-entries.ts';
import {
  resultContent,
  structuredContentAsText,
  structuredContentIsAnObject,
  structuredOutputFits,
  structuredOutputIsPresent,
} from './tool-results.ts';

export const methodsRules: readonly ServerRule[] = [
  capabilitiesAreDeclared,
  listsAreAnswered,
  cursorsAreAccepted,
  listsEnd,
  pagesDoNotOverlap,
  listsKeepTheirOrder,
  invalidCursors,
  changesAreDeclared,
  toolEntries,
  toolNames,
  toolNamesAreUnique,
  inputSchemas,
  outputSchemas,
  toolAnnotations,
  unknownTools,
  missingArguments,
  argumentTypes,
  argumentsMayBeAbsent,
  callsKeepTheServerAlive,
  toolErrors,
  toolOutput,
  resultContent,
  structuredOutputIsPresent,
  structuredOutputFits,
  structuredContentIsAnObject,
  structuredContentAsText,
  contentMembers,
  contentTypes,
  base64,
  annotations,
  resourceEntries,
  resourceUris,
  resourceUrisAreUnique,
  resourcesCanBeRead,
  resourceContents,
  unknownResources,
  unknownResourcesSince2026,
  templateEntries,
  uriTemplates,
  subscriptionsAreAnswered,
  updatesAreForSubscribers,
  promptEntries,
  promptNamesAreUnique,
  promptsCanBeGot,
  promptResults,
  unknownPrompts,
  missingPromptArguments,
  completionResults,
  unknownReferences,
  levelsAreAccepted,
  unknownLevels,
  logMessages,
  logsAreDeclared,
  levelIsObeyed,
  progressTokens,
  progressNeedsAToken,
  progressIncreases,
  progressStops,
  cancelledIsUnanswered,
  cancellationKeepsTheServerAlive,
  lateCancellations,
  metaKeys,
  icons,
  fitsOfficialSchema,
  memberNames,
];
