// Addresses of the sentences that rules are based on.

import type { Revision } from '../mcp/revisions.ts';
import type { Source } from './rule.ts';

/** `page`: below the revision, such as `basic/lifecycle#initialization`. `pages`: in revisions that have it elsewhere. */
export function mcp(page: string, pages?: Partial<Readonly<Record<Revision, string>>>): Source {
  return { of: 'mcp', page, ...(pages && { pages }) };
}

/** A section of the extension for 2026-07-28. `page`: the section of the page about tasks in 2025-11-25, or another page. */
export function tasks(section: string, page = ''): Source {
  const extension = `https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/2026-07-28/tasks.md#${section}`;
  return mcp(extension, { '2025-11-25': page.includes('/') ? page : `basic/utilities/tasks#${page}` });
}

/** A heading in the specification of the extension MCP Apps. */
export function apps(anchor: string): Source {
  return mcp(`https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#${anchor}`);
}

export function skills(anchor: string): Source {
  return mcp(`https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx#${anchor}`);
}

export function jsonRpc(anchor: string): Source {
  return { of: 'json-rpc', anchor };
}

export const litemcp: Source = { of: 'litemcp' };

/** Every request has one response. */
export const responses = jsonRpc('response_object');
export const initialization = mcp('basic/lifecycle#initialization');
export const stdio = mcp('basic/transports#stdio', { '2026-07-28': 'basic/transports/stdio' });
export const shutdown = mcp('basic/lifecycle#shutdown', { '2026-07-28': 'basic/transports/stdio#shutdown' });
