// Reads `tools`: which tools of a server can be used. An array, as in the config of the Copilot CLI, means `allow`.

import type { Findings } from '../problem.ts';
import type { ToolRules } from '../server-config.ts';
import type { Fields, Located } from './fields.ts';
import { toolsKeys } from './known-keys.ts';

const example = 'Write "tools": {"allow": ["read_*"], "deny": ["*_all"]}.';

export function readTools(fields: Fields, findings: Findings): ToolRules {
  const globs = (list: Located[] | undefined) => {
    const empty = list?.find(({ text }) => text === '');
    if (empty) findings.error(empty.at, 'An empty pattern matches no tool');
    return list?.map(({ text }) => text);
  };
  if (fields.value('tools')?.type === 'array') return { allow: globs(fields.texts('tools', example)) ?? [] };
  const tools = fields.object('tools', example);
  tools?.warnUnknown(toolsKeys);
  const [allow, deny] = toolsKeys.map((key) => globs(tools?.texts(key, example)));
  return { ...(allow && { allow }), ...(deny && { deny }) };
}
