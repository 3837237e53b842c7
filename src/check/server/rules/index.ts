// All rules for MCP servers, in the order of the report.

import type { ServerRule } from '../server-rule.ts';
import { appRules } from './apps/apps.ts';
import { definitionRules } from './definitions.ts';
import { messageRules } from './jsonrpc/messages.ts';
import { notificationRules } from './jsonrpc/notifications.ts';
import { requestRules } from './jsonrpc/requests.ts';
import { capabilityRules } from './lifecycle/capabilities.ts';
import { endingRules } from './lifecycle/ending.ts';
import { handshakeRules } from './lifecycle/handshake.ts';
import { openingRules } from './lifecycle/opening.ts';
import { listRules } from './methods/lists.ts';
import { notificationMethodRules } from './methods/notifications.ts';
import { promptRules } from './methods/prompts.ts';
import { resourceRules } from './methods/resources.ts';
import { schemaRules } from './methods/schema.ts';
import { toolCallRules } from './methods/tool-calls.ts';
import { toolEntryRules } from './methods/tool-entries.ts';
import { toolResultRules } from './methods/tool-results.ts';
import { wrongRequestRules } from './methods/wrong-requests.ts';
import { requestEnvelopeRules } from './modern/envelope.ts';
import { questionRules } from './modern/questions.ts';
import { modernResultRules } from './modern/results.ts';
import { changeSubscriptionRules } from './modern/subscriptions.ts';
import { robustnessRules } from './robustness.ts';
import { skillEntryRules } from './skills/entries.ts';
import { skillFileRules } from './skills/files.ts';
import { taskRules } from './tasks/both-forms.ts';
import { experimentalTaskRules } from './tasks/experiment.ts';
import { extensionTaskRules } from './tasks/extension.ts';
import { extensionTaskRequestRules } from './tasks/extension-requests.ts';
import { inputRules } from './wire/input.ts';
import { lineRules } from './wire/lines.ts';
import { outputRules } from './wire/output.ts';

export const serverRules: readonly ServerRule[] = [
  ...openingRules,
  ...handshakeRules,
  ...capabilityRules,
  ...endingRules,
  ...lineRules,
  ...outputRules,
  ...inputRules,
  ...messageRules,
  ...requestRules,
  ...notificationRules,
  ...listRules,
  ...toolEntryRules,
  ...toolCallRules,
  ...toolResultRules,
  ...resourceRules,
  ...promptRules,
  ...notificationMethodRules,
  ...definitionRules,
  ...wrongRequestRules,
  ...schemaRules,
  ...requestEnvelopeRules,
  ...modernResultRules,
  ...questionRules,
  ...changeSubscriptionRules,
  ...taskRules,
  ...extensionTaskRules,
  ...extensionTaskRequestRules,
  ...experimentalTaskRules,
  ...appRules,
  ...skillEntryRules,
  ...skillFileRules,
  ...robustnessRules,
];
