// The path of the program, to start it again. In the build it is beside this file.

import { fileURLToPath } from 'node:url';

export const mainFile = fileURLToPath(new URL('main.cjs', import.meta.url));
