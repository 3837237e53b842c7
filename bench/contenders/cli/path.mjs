import { fileURLToPath } from 'node:url';

/** The command line, as it is built. */
export const cliPath = fileURLToPath(new URL('../../../dist/cli/main.cjs', import.meta.url));
