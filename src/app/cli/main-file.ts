// Path of the program, for starting it again. In the build it is beside this file.

import { fileURLToPath } from 'node:url';

export const mainFile = fileURLToPath(new URL('main.cjs', import.meta.url));
