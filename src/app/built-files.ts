import { fileURLToPath } from 'node:url';

export const builtPage = fileURLToPath(new URL('../../dist/ui', import.meta.url));

export const mainFile = fileURLToPath(new URL('main.cjs', import.meta.url));
