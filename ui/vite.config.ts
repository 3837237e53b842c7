// Builds the Inspector's page to static files. Everything it needs is in dist/ui: no inline script, no inline style, nothing
// from outside, so that the strictest policy of the backend holds.

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    outDir: '../dist/ui',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
  },
});
