// The folder of the Inspector's page. This file is as deep as the bundles in dist/.

import { fileURLToPath } from 'node:url';

export const builtPage = fileURLToPath(new URL('../../dist/ui', import.meta.url));
