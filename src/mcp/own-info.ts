// The default name and version that Standpipe presents to its peers.

import type { Implementation } from './types.ts';

/** A test keeps the version equal to that of the package. */
export const ownInfo: Implementation = { name: 'standpipe', version: '0.1.0' };
