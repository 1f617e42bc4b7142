import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/**
 * The licence texts of the packages of which bundles contain code.
 * @param declared names of packages of which only types are packed
 */
export function licensesOf(root: string, bundles: readonly Metafile[], declared: readonly string[]): string {
  const outputs = bundles.flatMap((bundle) => Object.values(bundle.outputs));
  const inputs = outputs.flatMap((output) =>
    Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  const packages = inputs.map((input) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[0]);
  const found = [...packages.filter((path) => path !== undefined), ...declared.map((name) => `node_modules/${name}/`)];
  const folders = [...new Set(found)].toSorted();
  return folders.map((folder) => licenseOf(join(root, folder))).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenseOf(path: string): string {
  const text = readFileSync(join(path, 'package.json'), 'utf8');
  const { name, version: its, license: terms, repository } = JSON.parse(text);
  const [file] = globSync('LICEN[CS]E*', { cwd: path });
  const body =
    file === undefined
      ? `The package has no licence text. Its package.json states ${terms}; see ${repository?.url ?? repository}.`
      : readFileSync(join(path, file), 'utf8').trim();
  return `${name} ${its} (${terms})\n\n${body}\n`;
}
