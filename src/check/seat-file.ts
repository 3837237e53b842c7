// The program that a client under test starts as its server (client/seat.ts), as it was built. This file is as deep as the bundles in dist/.

import { fileURLToPath } from 'node:url';

export const seatFile = fileURLToPath(new URL('../../dist/check/client/seat.js', import.meta.url));
