/** Makes `git diff` tell all of the names of the first 40 files: a name that git itself cuts can't be masked any more. */
export const WHOLE_STAT = ['--stat-width=20000', '--stat-name-width=10000', '--stat-graph-width=30', '--stat-count=40'];

/** Characters of a name that are shown, the last ones. */
const NAME_LENGTH = 60;

/** The summary of a diff as `git diff --stat` lays it out, with long names cut. */
export function layOutStat(stat: string): string {
  const lines = stat.split('\n').map((line) => {
    const [, name, counts] = /^ (.*\S) *\| (.*)$/.exec(line) ?? [];
    return name === undefined || counts === undefined ? { line } : { line, name: shortened(name), counts };
  });
  const width = Math.max(0, ...lines.map(({ name = '' }) => name.length));
  return lines
    .map(({ line, name, counts }) => (name === undefined ? line : ` ${name.padEnd(width)} | ${counts}`))
    .join('\n');
}

function shortened(name: string): string {
  const characters = Array.from(name);
  return characters.length > NAME_LENGTH ? `...${characters.slice(3 - NAME_LENGTH).join('')}` : name;
}
