import type { Metafile } from 'esbuild';

/** Paths of the modules of which bundles contain code. */
export function modulesOf(bundles: readonly Metafile[]): string[] {
  return bundles
    .flatMap((bundle) => Object.values(bundle.outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : []));
}
