import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { harmlessReason } from './harmless-mutants.ts';
import { Imports } from './imports.ts';
import { type Mutant, mutated } from './mutant.ts';
import { MutantLog, type Verdict } from './mutant-log.ts';
import { areaOf, breaksByArea, sampleOf } from './sample.ts';
import { wholeNumber } from './whole-number.ts';
import { FileChecker } from './witnesses/file-checker.ts';
import { firstError } from './witnesses/first-error.ts';
import { inCopy } from './witnesses/in-copy.ts';
import { type BrokenSource, MutantTests } from './witnesses/mutant-tests.ts';
import { Worlds } from './witnesses/mutant-worlds.ts';
import { TestsOfFile } from './witnesses/tests-of-file.ts';

/**
 * `npm run prove -- sample [--seed N] [--count N] [--only TEXT] [--all TEXT] [--nearest N] [--minutes N] [--share K/N]
 * [--log FILE] [--again] [--table]`: breaks the product in random places, one at a time, in a copy, and shows each break
 * to the simulator, the tests of its file and subject, the compiler and the check of generated files. A verdict in the
 * log stands while the file reads the same.
 * `--only`: those of the sample whose file or name contains it. `--all`: instead of a sample, every break of the files
 * whose path contains it. `--nearest`: only to as many of the nearest quick tests, and to the compiler. `--again`:
 * those that survived once more. `--share 1/2`: every second one, so that another process with the same log can try the
 * others at the same time. `--table` tries nothing and prints the score by area.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOOK = { seed: 1, lives: 600 } as const;
/** Tests that are tried before the others: they see most, and each test file costs seconds. */
const NEAREST = 2;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '300' },
    only: { type: 'string', default: '' },
    all: { type: 'string' },
    nearest: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    share: { type: 'string', default: '1/1' },
    log: { type: 'string' },
    again: { type: 'boolean', default: false },
    table: { type: 'boolean', default: false },
  },
});
/** What `npm run generate:check` runs. What it generates may be imported by none of them. */
const GENERATORS = ['bin/openapi.ts', 'bin/doc-tables.ts', 'bench/cost/cost.ts'];

type Seen = Pick<Verdict, 'by' | 'seen'>;

const areas = breaksByArea(ROOT);
const { all } = values;
const drawn =
  all === undefined
    ? sampleOf(areas, { count: Number(values.count), seed: Number(values.seed) })
    : [...areas.values()].flat().filter(({ file }) => file.includes(all));
const sample = drawn.filter(({ file, name }) => `${file} ${name}`.includes(values.only));
if (all !== undefined && drawn.length === 0) throw new Error(`--all: received ${all}; no source has that in its path`);
const nearest = wholeNumber('--nearest', values.nearest);
/** Those that this process tries. */
const [part = 1, parts = 1] = values.share.split('/').map(Number);
const mine = sample.filter((_, at) => at % parts === part - 1);
const log = new MutantLog(values.log);
const testsOfFile = new TestsOfFile(ROOT);
const sources = new Map<string, string>();
for (const { file } of sample) sources.set(file, await readFile(join(ROOT, file), 'utf8'));
const verdictOf = (mutant: Mutant) => log.verdictOf(mutant, sources.get(mutant.file) ?? '');

/** Worlds and generated files that show a break were seen to show nothing without one. */
const sound = new Set<'worlds' | 'generated'>();

// Children and the copy go with the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
if (!values.table) await tryAll();
console.log(scores());
for (const mutant of sample)
  if (verdictOf(mutant)?.by === 'nobody')
    console.log(`SURVIVED: ${mutant.file}:${mutant.at?.line} ${mutant.name} → ${mutant.replace.slice(0, 60)}`);

/** Each break is shown to what is quick to see it first: a check of the types of its file alone, then tests, slow ones last. */
async function tryAll(): Promise<void> {
  const end = performance.now() + Number(values.minutes) * 60_000;
  const simulated = new Imports(ROOT).stepsFrom(['test/simulation/worlds/run-worlds.ts'], { types: false });
  const generating = new Imports(ROOT).stepsFrom(GENERATORS, { types: false });
  const worlds = new Worlds();
  const look = async (mutant: Mutant, source: string): Promise<Seen | undefined> => {
    if (!simulated.has(mutant.file)) return undefined;
    const violation = await worlds.look({ ...LOOK, path: join(ROOT, mutant.file), source });
    if (violation === undefined) return undefined;
    await expectSoundWorlds(worlds);
    return { by: 'simulator', seen: violation.slice(0, 180) };
  };
  try {
    await inCopy(ROOT, async (folder) => {
      const tests = new MutantTests(folder);
      const test = async (files: readonly string[], source: BrokenSource, { isQuick = true } = {}) => {
        const seen = await tests.see({ files, isQuick }, source);
        return seen === undefined ? undefined : ({ by: 'test', seen } as const);
      };
      const checker = new FileChecker(ROOT);
      const atAGlance = async (mutant: Mutant, source: string): Promise<Seen> => {
        const { quick } = testsOfFile.witnessesOf(mutant.file);
        const changed = { file: mutant.file, source, broken: mutated(source, mutant) };
        try {
          const seen = await test(quick.slice(0, nearest), changed);
          if (seen !== undefined) return seen;
          const refused = checker.errorIn(mutant.file, changed.broken);
          return refused === undefined ? { by: 'nobody' } : { by: 'compiler', seen: refused };
        } finally {
          await tests.write(mutant.file, source);
        }
      };
      const judge = async (mutant: Mutant, source: string): Promise<Seen> => {
        const broken = mutated(source, mutant);
        const changed = { file: mutant.file, source, broken };
        const refused = checker.errorIn(mutant.file, broken);
        if (refused !== undefined) return { by: 'compiler', seen: refused };
        const { quick, slow } = testsOfFile.witnessesOf(mutant.file);
        try {
          const early = (await test(quick.slice(0, NEAREST), changed)) ?? (await look(mutant, broken));
          if (early !== undefined) return early;
          const late = await test(quick.slice(NEAREST), changed);
          if (late !== undefined) return late;
          await tests.write(mutant.file, broken);
          const isGenerated = source.startsWith('/** Generated ');
          const stale = isGenerated || generating.has(mutant.file) ? await generated(folder) : undefined;
          if (stale !== undefined) {
            await tests.write(mutant.file, source);
            await expectSoundGenerated(folder);
            return { by: 'generated', seen: stale };
          }
          const complaint = await firstError(folder);
          if (complaint !== undefined) return { by: 'compiler', seen: complaint };
          return (await test(slow, changed, { isQuick: false })) ?? { by: 'nobody' };
        } finally {
          await tests.write(mutant.file, source);
        }
      };
      const untried = mine.filter((mutant) => verdictOf(mutant) === undefined && harmlessReason(mutant) === undefined);
      const survivors = mine.filter((mutant) => values.again && verdictOf(mutant)?.by === 'nobody');
      for (const mutant of [...survivors, ...untried]) {
        if (performance.now() > end) break;
        const beganAt = performance.now();
        const source = sources.get(mutant.file) ?? '';
        const seen = nearest === undefined ? judge(mutant, source) : atAGlance(mutant, source);
        note(mutant, await seen, performance.now() - beganAt);
      }
      tests.end();
      if (tests.unsound.size > 0) console.log(`fail without a break: ${[...tests.unsound].join(', ')}`);
    });
  } finally {
    worlds.end();
  }
}

function note(mutant: Mutant, seen: Seen, milliseconds: number): void {
  const seconds = Math.round(milliseconds / 1000);
  log.note({ mutant: mutant.name, file: mutant.file, seconds, ...seen }, sources.get(mutant.file) ?? '');
  console.log(`${seen.by}: ${mutant.name} (${seen.seen ?? ''}; ${seconds} s)`);
}

/** @returns the first difference of a generated file, as `npm run generate:check` finds it; undefined: none. */
async function generated(folder: string): Promise<string | undefined> {
  for (const generator of GENERATORS) {
    const complaint = await complaintOf(folder, [generator, '--check']);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

/** @throws Error if the worlds break something without a break. */
async function expectSoundWorlds(worlds: Worlds): Promise<void> {
  if (sound.has('worlds')) return;
  await worlds.expectSound({ ...LOOK, path: join(ROOT, 'lib/jobs/lifecycle/lifecycle.ts') });
  sound.add('worlds');
}

/** @throws Error if a generated file differs without a break. */
async function expectSoundGenerated(folder: string): Promise<void> {
  if (sound.has('generated')) return;
  const difference = await generated(folder);
  if (difference !== undefined) throw new Error(`without any break: ${difference}`);
  sound.add('generated');
}

/** @returns the first line of what a program of Node prints that ends with a failure; undefined: it ends well. */
async function complaintOf(folder: string, args: readonly string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return child.exitCode === 0 ? undefined : ((output || errors).split('\n')[0]?.slice(0, 180) ?? '');
}

/** The score of each area, as a table of Markdown. */
function scores(): string {
  const line = (name: string, of: readonly Mutant[]) => {
    const verdicts = of.flatMap((mutant) => verdictOf(mutant) ?? []);
    const seen = verdicts.filter(({ by }) => by !== 'nobody').length;
    const harmless = of.filter((mutant) => harmlessReason(mutant) !== undefined).length;
    const score = verdicts.length === 0 ? '' : `${Math.round((100 * seen) / verdicts.length)} %`;
    return `| ${[name, verdicts.length, seen, harmless || '', score].join(' | ')} |`;
  };
  const inSample = [...Map.groupBy(sample, ({ file }) => areaOf(file))].toSorted(([a], [b]) => a.localeCompare(b));
  return [
    '| area | shown | seen | change nothing that counts | score |',
    '|---|---|---|---|---|',
    ...inSample.map(([area, of]) => line(area, of)),
    line('all', sample),
  ].join('\n');
}
