// Pages of the specification that the rules of this family stand for.

import type { Source } from '../../../rule.ts';

export const stdio: Source = {
  of: 'mcp',
  page: 'basic/transports#stdio',
  pages: { '2026-07-28': 'basic/transports/stdio' },
};

/** Since 2025-03-26. */
export const encoding: Source = {
  of: 'mcp',
  page: 'basic/transports',
  pages: { '2026-07-28': 'basic/transports' },
};

/** Every request has an answer. */
export const responses: Source = { of: 'json-rpc', anchor: 'response_object' };

/** Demanded by no specification: users expect it. */
export const expected: Source = { of: 'standpipe' };
