import type { Verdict } from './mutant-log.ts';

/** Who saw one mutant of a file. */
export interface Row {
  readonly file: string;
  readonly by: Verdict['by'] | 'harmless';
}

const COLUMNS = ['simulator', 'test', 'harmless', 'nobody'] as const;

/** How many mutants of each file were seen, and by whom, as a table of Markdown. */
export function mutantTable(rows: readonly Row[]): string {
  const byFile = [...Map.groupBy(rows, ({ file }) => file)].toSorted(([a], [b]) => a.localeCompare(b));
  const line = (name: string, of: readonly Row[]) => {
    const counts = COLUMNS.map((column) => of.filter(({ by }) => by === column).length || '');
    return `| ${[name, of.length, ...counts].join(' | ')} |`;
  };
  return [
    '| file | mutants | seen by the simulator | seen by a test | change nothing that counts | seen by nobody |',
    '|---|---|---|---|---|---|',
    ...byFile.map(([file, of]) => line(`\`${file}\``, of)),
    line('all', rows),
  ].join('\n');
}
