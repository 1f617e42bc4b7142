/** The name that a mistyped one probably means: the nearest, if at most a third of the letters differ. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => [distance(typed.toLowerCase(), name.toLowerCase()), name] as const);
  const [nearest] = distances.toSorted(([a], [b]) => a - b);
  return nearest !== undefined && nearest[0] <= typed.length / 3 ? nearest[1] : undefined;
}

/** The Levenshtein distance: letters to insert, delete or replace. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] ?? 0) + (letter === to[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
