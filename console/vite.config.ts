import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { shipLicenses } from './ship-licenses.ts';
import { stripFonts } from './strip-fonts.ts';

const licenses = shipLicenses();
const LEFT_OUT = fileURLToPath(new URL('src/diagrams/frame/left-out.ts', import.meta.url));

/** Builds the console into `console/dist`: static files that the API's own origin serves. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), stripFonts(), licenses.console()],
  worker: { plugins: () => [licenses.worker()] },
  // In the script that draws diagrams.
  resolve: { alias: { 'elkjs/lib/elk.bundled.js': LEFT_OUT, katex: LEFT_OUT } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Fonts as files: the content security policy allows no data: font.
    assetsInlineLimit: 0,
    // The one warning it gives is for the chart pages, which load lazily; a test keeps the first load in its budget.
    chunkSizeWarningLimit: 700,
  },
});
