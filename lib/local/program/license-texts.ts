import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LINE = `\n${'-'.repeat(80)}\n\n`;

/**
 * The licence texts of the packages that modules of a bundle belong to.
 * @param modules paths of what the bundle contains, relative to the root or absolute; those of no package are ignored
 */
export function licenseTexts(root: string, modules: Iterable<string>): string {
  const folders = new Set<string>();
  for (const path of modules) {
    const name = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(
      path.replaceAll('\\', '/').replace(/^\0/, ''),
    )?.[0];
    if (name !== undefined) folders.add(name.startsWith('/') ? name : join(root, name));
  }
  return [...folders].toSorted().map(textOf).join(LINE);
}

/** Several of these texts as one, each package once. */
export function joinLicenses(texts: readonly string[]): string {
  return [...new Set(texts.flatMap((text) => text.split(LINE)))].toSorted().join(LINE);
}

function textOf(folder: string): string {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version, license: terms, repository } = JSON.parse(text);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)(\b|-)/i.test(file));
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (!files.some((file) => !/^notice/i.test(file)))
    texts.unshift(
      `The package has no licence text. Its package.json states ${terms}; see ${repository?.url ?? repository}.`,
    );
  return `${name} ${version}${terms === undefined ? '' : ` (${terms})`}\n\n${texts.join('\n\n')}\n`;
}
