// The built program that a client under test starts as its server (client/server-stub.ts). This file must be as deep as the bundles in dist/.

import { fileURLToPath } from 'node:url';

export const stubFile = fileURLToPath(new URL('../../dist/check/client/server-stub.js', import.meta.url));
