// Who we are unless the caller says otherwise.

import type { Implementation } from './types.ts';

/** A test holds the version equal to the package's. */
export const ownInfo: Implementation = { name: 'standpipe', version: '0.1.0' };
