// The file of the program itself, for whoever starts it again. It lies beside this one when it is built.

import { fileURLToPath } from 'node:url';

export const mainFile = fileURLToPath(new URL('main.cjs', import.meta.url));
