import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SeededRandom } from '../simulation/seeded-random.ts';
import { filesOf } from './imports.ts';
import type { Mutant } from './mutant.ts';
import { mutantsFrom } from './rules/found-mutants.ts';
import { breaksOf } from './rules/sample-rules.ts';

/** Every source of the product: what is generated, and what only prints or draws examples, is none. */
const SOURCES = ['{lib,functions,worker-container,bin}/**/*.ts', 'console/src/**/*.{ts,tsx}'];
const NO_SOURCE = /\.d\.ts$|lib\/client\/|tool-contracts|openapi|-examples?\.ts$|example-|\/practice-vendor\//;

/** `lib/jobs`, `worker-container`, `console`: what a score is given for. */
export function areaOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return first === 'lib' && !second.endsWith('.ts') ? `${first}/${second}` : first;
}

/** Every break of the product that the rules know, by area. */
export function breaksByArea(root: string): ReadonlyMap<string, readonly Mutant[]> {
  const files = filesOf(root, ...SOURCES).filter((file) => !NO_SOURCE.test(file));
  const breaksIn = (file: string) => mutantsFrom({ file, source: readFileSync(join(root, file), 'utf8') }, breaksOf);
  return new Map([...Map.groupBy(files, areaOf)].map(([area, inArea]) => [area, inArea.flatMap(breaksIn)]));
}

/** As many breaks as wanted, drawn by a seed. The areas take turns, so that each gets a score. */
export function sampleOf(
  areas: ReadonlyMap<string, readonly Mutant[]>,
  { count, seed }: { readonly count: number; readonly seed: number },
): Mutant[] {
  const random = new SeededRandom(seed);
  const drawn = [...areas.values()].map((breaks) => shuffled(random, breaks));
  const sample: Mutant[] = [];
  for (let round = 0; sample.length < count && drawn.some((breaks) => breaks.length > round); round += 1)
    sample.push(...drawn.flatMap((breaks) => breaks[round] ?? []));
  return sample.slice(0, count);
}

function shuffled<T>(random: SeededRandom, list: readonly T[]): T[] {
  const keyed = list.map((item) => ({ item, key: random.next() }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}
