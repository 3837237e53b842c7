// Filters the tools of a server by `tools` of its entry. `deny` takes precedence. Names are case-sensitive, as in MCP.

import { UsageError } from '../base/errors.ts';
import { globMatcher } from '../base/glob.ts';
import type { ToolRules } from './server-config.ts';

export function toolFilter({ allow, deny = [] }: ToolRules): (tool: string) => boolean {
  const allowed = allow?.map(globMatcher);
  const denied = deny.map(globMatcher);
  return (tool) => (allowed?.some((matches) => matches(tool)) ?? true) && !denied.some((matches) => matches(tool));
}

export function notAllowed(server: string, tool: string): UsageError {
  return new UsageError('TOOL_NOT_ALLOWED', `The config does not allow the tool "${tool}" of server "${server}"`, {
    hint: 'See "tools" (allow, deny) in its entry.',
  });
}
