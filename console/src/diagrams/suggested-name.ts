import { LIMITS } from '../../../lib/contract/limits.ts';

/** A line with the title of a diagram. */
const TITLE = /^\s*(?:title|accTitle)\s*:?\s+(\S.*)$/m;
/** The word that a diagram begins with, behind front matter and comments. */
const KIND = /^\s*(?!---|%%|title|config)([A-Za-z][\w-]*)/m;

/** A name for a diagram that the project has not given away: by its title, or by its kind. */
export function suggestedName(text: string, taken: readonly string[]): string {
  const kind = KIND.exec(text)?.[1]?.replace(/(?:diagram)?(?:-v\d+|-beta)?$/i, '');
  const name = slug(TITLE.exec(text)?.[1]) ?? slug(kind) ?? 'diagram';
  let free = name;
  for (let number = 2; taken.includes(free); number += 1) {
    const suffix = `-${number}`;
    free = `${name.slice(0, LIMITS.diagrams.nameLength - suffix.length)}${suffix}`;
  }
  return free;
}

/** undefined: nothing is left of the text */
function slug(text: string | undefined): string | undefined {
  const readable = text
    ?.replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+/g, '')
    .slice(0, LIMITS.diagrams.nameLength)
    .replaceAll(/-+$/g, '');
  return readable === '' ? undefined : readable;
}
