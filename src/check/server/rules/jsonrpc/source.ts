import type { Source } from '../../../rule.ts';

/** A section on messages. The first revision has them on a page of their own. */
export function messages(anchor: 'requests' | 'responses' | 'notifications'): Source {
  return { of: 'mcp', page: `basic#${anchor}`, pages: { '2024-11-05': `basic/messages#${anchor}` } };
}
