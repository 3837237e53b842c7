// Filters the tools of a server by `tools` of its entry. `deny` takes precedence. Names are case-sensitive, as in MCP.

import { UsageError } from '../base/errors.ts';
import type { ToolRules } from './server-config.ts';

export function toolFilter({ allow, deny = [] }: ToolRules): (tool: string) => boolean {
  const allowed = allow?.map(matcher);
  const denied = deny.map(matcher);
  return (tool) => (allowed?.some((matches) => matches(tool)) ?? true) && !denied.some((matches) => matches(tool));
}

/** Moves only forward, except for returns to the last `*`: no pattern makes it slow. */
function matcher(glob: string): (text: string) => boolean {
  return (text) => {
    let at = 0;
    let inGlob = 0;
    let star = -1;
    let starAt = 0;
    while (at < text.length) {
      if (inGlob < glob.length && glob[inGlob] === '*') {
        star = inGlob++;
        starAt = at;
      } else if (inGlob < glob.length && (glob[inGlob] === '?' || glob[inGlob] === text[at])) {
        inGlob++;
        at++;
      } else if (star >= 0) {
        inGlob = star + 1;
        at = ++starAt;
      } else return false;
    }
    while (glob[inGlob] === '*') inGlob++;
    return inGlob === glob.length;
  };
}

export function notAllowed(server: string, tool: string): UsageError {
  return new UsageError('TOOL_NOT_ALLOWED', `The config does not allow the tool "${tool}" of server "${server}"`, {
    hint: 'See "tools" (allow, deny) in its entry.',
  });
}
