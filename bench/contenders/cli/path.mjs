import { fileURLToPath } from 'node:url';

/** Path of the built command line. */
export const cliPath = fileURLToPath(new URL('../../../dist/cli/main.cjs', import.meta.url));
