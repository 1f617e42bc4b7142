import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { builtConsole } from './program/console-build.ts';

/**
 * Bundles the local run into one folder that `program-files.ts` finds its way in: the service, the worker, the connector
 * of the DynamoDB emulator, one file a function, and the built console. Packages with binaries or internals that are
 * loaded by path stay outside: they are installed beside the folder.
 * @param root of the repository
 * @returns what the bundle was made of
 */
export async function bundleLocalRun(root: string, folder: string): Promise<Metafile> {
  const functions = globSync('functions/**/*.ts', { cwd: root }).map((file) => file.replace(/\.ts$/, ''));
  const programs = [...functions, 'worker-container/main', 'lib/local/emulators/dynamodb/connector'];
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { local: 'bin/local.ts', ...Object.fromEntries(programs.map((name) => [name, `${name}.ts`])) },
    outdir: folder,
    bundle: true,
    splitting: true,
    // In the root of the folder, where program-files.ts expects to be.
    chunkNames: '[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    metafile: true,
    external: ['fauxqs'],
    outExtension: { '.js': '.mjs' },
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
    logLevel: 'warning',
  });
  cpSync(await builtConsole(), join(folder, 'console'), { recursive: true });
  return metafile;
}
