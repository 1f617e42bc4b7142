import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { joinLicenses, licenseTexts } from '../lib/local/program/license-texts.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Writes the licence texts of the packages whose code or styles the console contains into `licenses.txt`. The script
 * that draws diagrams is a bundle of its own, which is built first.
 */
export function shipLicenses(): { readonly console: () => Plugin; readonly worker: () => Plugin } {
  const found: string[] = [];
  return {
    worker: () => ({
      name: 'licenses-of-worker',
      generateBundle: (_, bundle) => void found.push(licensesOf(bundle)),
    }),
    console: () => ({
      name: 'licenses',
      generateBundle(_, bundle) {
        const source = joinLicenses([licensesOf(bundle), ...found]);
        this.emitFile({ type: 'asset', fileName: 'licenses.txt', source });
      },
    }),
  };
}

type Bundle = Parameters<Extract<Plugin['generateBundle'], (...args: never) => unknown>>[1];

function licensesOf(bundle: Bundle): string {
  const chunks = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? [output] : []));
  // Styles leave nothing in a chunk: they become files.
  const contained = chunks.flatMap(({ modules }) =>
    Object.entries(modules).flatMap(([id, { renderedLength }]) =>
      renderedLength > 0 || /\.css(\?|$)/.test(id) ? [id] : [],
    ),
  );
  return licenseTexts(ROOT, contained);
}
