import { basename, join } from 'node:path';
import type { Plugin } from 'esbuild';

/** An esbuild plugin that leaves modules which are imported dynamically out of the bundle, as files beside it. */
export function onDemand(modules: readonly string[]): Plugin {
  return {
    name: 'on-demand',
    setup({ onResolve }) {
      onResolve({ filter: /^\..*\.ts$/ }, ({ kind, path, resolveDir }) => {
        const isOne = kind === 'dynamic-import' && modules.includes(join(resolveDir, path));
        return isOne ? { path: `./${basename(path, '.ts')}.js`, external: true } : undefined;
      });
    },
  };
}

/** An esbuild plugin by which functions load the S3 client with their first request to S3. */
export function objectsOnDemand(root: string): Plugin {
  const [requests, stand] = ['object-requests.ts', 'objects-on-demand.ts'].map((file) =>
    join(root, 'lib/platform/aws/objects', file),
  );
  return {
    name: 'objects-on-demand',
    setup({ onResolve }) {
      onResolve({ filter: /^@aws-sdk\/client-s3$/ }, ({ importer }) =>
        importer === requests ? undefined : { path: stand },
      );
    },
  };
}
