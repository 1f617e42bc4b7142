import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles the worker, the SDK included, into one file: `node bin/bundle-worker.ts OUTFILE`. An ES module, because its
 * main program uses top-level await. Not minified, because load time does not matter and stack traces do.
 */
const [outfile] = process.argv.slice(2);
if (outfile === undefined) throw new Error('usage: node bin/bundle-worker.ts OUTFILE');

await build({
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  entryPoints: ['worker-container/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  // CommonJS dependencies `require` Node's modules, and ES modules have no `require`.
  banner: {
    js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
  },
  logLevel: 'warning',
});
