/** One change that takes a safeguard out of a real module. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Where in the file, if it was found there; else the only place that reads so. */
  readonly at?: { readonly from: number; readonly to: number; readonly line: number };
  /** What sees it where another safeguard keeps the simulator from doing so. */
  readonly test?: string;
}

/** A module's source with a mutant in it. @throws Error if the place no longer exists. */
export function mutated(source: string, { name, file, find, replace, at }: Mutant): string {
  const from = at?.from ?? source.indexOf(find);
  if (from < 0 || source.slice(from, from + find.length) !== find)
    throw new Error(`${name}: ${file} has no ${JSON.stringify(find)}`);
  return source.slice(0, from) + replace + source.slice(from + find.length);
}
