import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../simulation/seeded-random.ts';
import { type BreakSite, breakSites } from './break-sites.ts';
import { COPY, failingTests, makeCopy, passesSimulator, run } from './commit-copy.ts';

/*
 * `npm run prove -- breaks`: how many small breaks of the sources do the checks of a commit notice? It picks breaks by
 * seed, puts each into a copy of the commit, and runs what CI runs until something fails: types, then test files,
 * nearest first, then the simulator. A test file that also fails without the break does not count. An unnoticed break is
 * no reason to write a test: the question is whether a user or an operator would notice.
 */
const AREAS = ['lib', 'worker-container', 'functions', 'console', 'bin'] as const;
const { values } = parseArgs({
  options: {
    breaks: { type: 'string', default: '150' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    files: { type: 'string', default: '60' },
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
  },
});
const COUNT = Number(values.breaks);
/** The first break that is tried: a run of many can be made in portions. */
const FROM = Number(values.from);
/** Test files tried for a break, nearest first; CI runs all. */
const FILES = Number(values.files);
const ROOT = join(import.meta.dirname, '../..');
const GENERATED = /api-types\.ts$|allowed-methods\.ts$|tool-contracts\.ts$|\.d\.ts$/;
interface Break extends BreakSite {
  readonly path: string;
  readonly line: number;
  readonly before: string;
}

const IMPORT = /\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)|^import '(\.[^']+)'/gm;
const imported = new Map<string, readonly string[]>();
const TESTS = globSync('test/**/*.test.{ts,tsx}', { cwd: ROOT }).filter((file) => !file.includes('nightly'));

function importsOf(path: string): readonly string[] {
  const known = imported.get(path);
  if (known !== undefined) return known;
  const found = [...readFileSync(join(ROOT, path), 'utf8').matchAll(IMPORT)]
    .map(([, from, dynamic, bare]) => normalize(join(dirname(path), from ?? dynamic ?? bare ?? '')))
    .filter((file) => /\.tsx?$/.test(file) && existsSync(join(ROOT, file)));
  imported.set(path, found);
  return found;
}

/** How many imports lead from a file to another; undefined if none do. */
function distance(from: string, to: string): number | undefined {
  const seen = new Set([from]);
  for (let edge = [from], steps = 0; edge.length > 0; steps += 1) {
    if (edge.includes(to)) return steps;
    edge = edge.flatMap(importsOf).filter((file) => !seen.has(file) && seen.add(file));
  }
  return undefined;
}

const wordsOf = (path: string) => new Set(path.split(/[/.-]/).map((word) => word.replace(/s$/, '')));

/** Test files, those most likely to notice a break of a source first: by imports and by the words of their paths. */
function testsFor(path: string): string[] {
  const words = wordsOf(path);
  const score = (test: string) => {
    const shared = [...wordsOf(test)].filter((word) => words.has(word)).length;
    const steps = distance(test, path);
    return shared + (steps === undefined ? 0 : 6 / steps);
  };
  const scores = new Map(TESTS.map((test) => [test, score(test)]));
  return TESTS.toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0)).slice(0, FILES);
}

function chosen(): Break[] {
  const random = new SeededRandom(Number(values.seed));
  const sources = globSync(
    AREAS.map((area) => `${area}/**/*.{ts,tsx}`),
    { cwd: ROOT },
  )
    .filter((path) => !GENERATED.test(path) && !path.includes('node_modules') && path.startsWith(values.only))
    .toSorted();
  const all = sources.flatMap((path) => {
    const source = readFileSync(join(ROOT, path), 'utf8');
    return breakSites(path, source).map((site): Break => {
      const line = source.slice(0, site.start).split('\n').length;
      return { ...site, path, line, before: source.slice(site.start, site.end).replaceAll(/\s+/g, ' ').slice(0, 60) };
    });
  });
  console.log(`${all.length} breaks in ${sources.length} files`);
  return Array.from({ length: Math.min(COUNT, all.length) }, () => random.pick(all)).slice(FROM - 1);
}

const SIMULATOR = 'test/simulation/simulate.ts';

function hasTypes(): boolean {
  return run('npm', ['run', '--silent', 'types']).status === 0;
}

/** Who notices a break; undefined: nobody. */
function noticedBy({ path, start, end, text }: Break): string | undefined {
  const target = join(COPY, path);
  const source = readFileSync(target, 'utf8');
  const broken = source.slice(0, start) + text + source.slice(end);
  try {
    writeFileSync(target, broken);
    if (!hasTypes()) return 'types';
    const tests = testsFor(path);
    for (const batch of [tests.slice(0, 6), tests.slice(6, 24), tests.slice(24)].filter(({ length }) => length > 0)) {
      const failing = failingTests(batch);
      if (failing === 'timeout') return `${batch[0]} and ${batch.length - 1} others, which don't end`;
      if (failing.size === 0) continue;
      writeFileSync(target, source);
      const alsoWithout = failingTests([...failing.keys()]);
      const noticed = [...failing.keys()].find((file) => alsoWithout !== 'timeout' && !alsoWithout.has(file));
      if (noticed !== undefined) return noticed;
      writeFileSync(target, broken);
    }
    return distance(SIMULATOR, path) === undefined || passesSimulator() ? undefined : 'the simulator';
  } finally {
    writeFileSync(target, source);
  }
}

const breaks = chosen();
const shown = ({ path, line, operator, before, text }: Break) =>
  `${path}:${line} ${operator}: ${before} → ${text.slice(0, 60)}`;
if (values.list) for (const each of breaks) console.log(shown(each));
else {
  makeCopy();
  const commit = run('git', ['rev-parse', '--short', 'HEAD']).stdout.trim();
  const counts = new Map<string, { noticed: number; all: number }>();
  if (!hasTypes() || !passesSimulator()) throw new Error('the types or the simulator fail without a break');
  for (const [at, each] of breaks.entries()) {
    const by = noticedBy(each);
    const area = each.path.split('/')[0] ?? '';
    const { noticed, all } = counts.get(area) ?? { noticed: 0, all: 0 };
    counts.set(area, { noticed: noticed + (by === undefined ? 0 : 1), all: all + 1 });
    console.log(`${at + FROM}/${COUNT} ${by === undefined ? 'UNNOTICED' : `noticed by ${by}`}: ${shown(each)}`);
  }
  const sum = [...counts.values()].reduce((total, { noticed }) => total + noticed, 0);
  for (const [area, { noticed, all }] of counts) console.log(`${area}: ${noticed} of ${all}`);
  console.log(
    `${sum} of ${breaks.length} breaks noticed, seed ${values.seed}, commit ${commit}, the nearest ${FILES} of ` +
      `${TESTS.length} test files, ${new Date().toISOString().slice(0, 10)}, ${availableParallelism()} cores, ` +
      `load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`,
  );
}
