/** Makes `git diff` print all of the names of the first 40 files: a name that git itself cuts can't be masked. */
export const WHOLE_STAT = ['--stat-width=20000', '--stat-name-width=10000', '--stat-graph-width=30', '--stat-count=40'];

/** How many characters of a name are shown, counted from its end. */
const NAME_LENGTH = 60;

/** The summary of a diff in the layout of `git diff --stat`, with long names cut. */
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
