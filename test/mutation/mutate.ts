import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { harmlessReason } from './harmless-mutants.ts';
import { Imports } from './imports.ts';
import { type Mutant, mutated } from './mutant.ts';
import { MutantLog, type Verdict } from './mutant-log.ts';
import { mutantTable } from './mutant-table.ts';
import { MUTANTS } from './mutants.ts';
import { foundMutants } from './rules/found-mutants.ts';
import { SeenRecord } from './seen-record.ts';
import { wholeNumber } from './whole-number.ts';
import { inCopy } from './witnesses/in-copy.ts';
import { MutantTests } from './witnesses/mutant-tests.ts';
import { Worlds } from './witnesses/mutant-worlds.ts';
import { TestsOfFile } from './witnesses/tests-of-file.ts';

/**
 * `npm run prove -- mutate [--only TEXT] [--by-hand] [--lanes N] [--minutes N] [--log FILE] [--nearest N] [--lives N] [--tests] [--record] [--table]`:
 * removes one safeguard at a time, in a copy; the simulator or a test must see it. One that the log or the record
 * (`seen-mutants.jsonl`) has as seen is not tried again while its file reads the same.
 * `--only`: those whose file or name contains it. `--by-hand`: those that no rule finds. `--minutes`: begins with no other
 * after so many. `--nearest`: only to as many of the nearest quick tests and to the short simulation, of 600 lives unless
 * `--lives` says otherwise. `--tests`: without the simulator, while you work on the tests. `--record` writes
 * what was seen into the record. `--table` tries nothing and prints the verdicts by file.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Tests that are tried before the simulator: they see most mutants, in a second or two. */
const NEAREST = 2;

/** Looks that were seen to break nothing without a mutant. */
const soundLooks = new Set<keyof typeof LOOKS>();

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    'by-hand': { type: 'boolean', default: false },
    lanes: { type: 'string', default: String(availableParallelism()) },
    minutes: { type: 'string', default: 'Infinity' },
    log: { type: 'string' },
    nearest: { type: 'string' },
    lives: { type: 'string' },
    tests: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    table: { type: 'boolean', default: false },
  },
});
/** The worlds that run with a mutant, and how many lives they have. */
const LOOKS = {
  short: { seed: 1, lives: wholeNumber('--lives', values.lives) ?? 600 },
  long: { seed: 501, lives: 3_000 },
} as const;
const log = new MutantLog(values.log);
const record = new SeenRecord(ROOT);
const nearest = wholeNumber('--nearest', values.nearest);
const testsOfFile = new TestsOfFile(ROOT);
const simulatedFiles = new Imports(ROOT).stepsFrom(['test/simulation/worlds/run-worlds.ts'], { types: false });
const found = values['by-hand'] ? [] : foundMutants(ROOT);
const all = [...MUTANTS, ...found].filter(({ name, file }) => `${file} ${name}`.includes(values.only));
if (all.length === 0) throw new Error(`--only: received ${values.only}; no mutant has that in its file or name`);
const sources = new Map<string, string>();
for (const file of new Set(all.map((mutant) => mutant.file)))
  sources.set(file, await readFile(join(ROOT, file), 'utf8'));
const judged = all.filter((mutant) => harmlessReason(mutant) === undefined);
const end = performance.now() + Number(values.minutes) * 60_000;
const untried = judged.filter((mutant) => verdictOf(mutant) === undefined);
const waiting = values.table ? [] : [...untried, ...judged.filter((mutant) => verdictOf(mutant) === 'nobody')];
await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
const verdicts = judged.map((mutant) => ({ mutant, by: verdictOf(mutant) }));
const rows = [
  ...verdicts.map(({ mutant: { file }, by }) => ({ file, by: by ?? ('nobody' as const) })),
  ...all.filter((mutant) => !judged.includes(mutant)).map(({ file }) => ({ file, by: 'harmless' as const })),
];
console.log(mutantTable(rows));
const survivors = verdicts.filter(({ by = 'nobody' }) => by === 'nobody');
for (const { mutant, by } of survivors) console.log(`${by === undefined ? 'not tried' : 'SURVIVED'}: ${mutant.name}`);
console.log(`caught ${judged.length - survivors.length} of ${judged.length}`);
if (values.record) record.add(verdicts);
process.exitCode = survivors.length === 0 ? 0 : 1;

function sourceOf({ file }: Mutant): string {
  return sources.get(file) ?? '';
}

function verdictOf(mutant: Mutant): Verdict['by'] | undefined {
  const noted = log.verdictOf(mutant, sourceOf(mutant))?.by;
  return noted === undefined || noted === 'nobody' ? (record.seenBy(mutant) ?? noted) : noted;
}

type Seen = Pick<Verdict, 'by' | 'seen'>;

async function lane(): Promise<void> {
  if (waiting.length === 0) return;
  const worlds = new Worlds();
  try {
    await inCopy(ROOT, async (folder) => {
      const tests = new MutantTests(folder);
      for (const mutant of untilTheEnd(waiting)) {
        const beganAt = performance.now();
        const seen = (await tried({ worlds, tests }, mutant)) ?? { by: 'nobody' };
        note(mutant, seen, Math.round((performance.now() - beganAt) / 1000));
      }
      tests.end();
      if (tests.unsound.size > 0) console.log(`fail without a mutant: ${[...tests.unsound].join(', ')}`);
    });
  } finally {
    worlds.end();
  }
}

function* untilTheEnd(mutants: Mutant[]): Iterable<Mutant> {
  for (let next = mutants.shift(); next !== undefined; next = mutants.shift()) {
    if (performance.now() > end) return;
    yield next;
  }
}

function note(mutant: Mutant, seen: Seen, seconds: number): void {
  log.note({ mutant: mutant.name, file: mutant.file, seconds, ...seen }, sourceOf(mutant));
  console.log(`${seen.by === 'nobody' ? 'SURVIVED' : seen.by}: ${mutant.name} (${seen.seen ?? ''}; ${seconds} s)`);
}

async function simulated(worlds: Worlds, look: keyof typeof LOOKS, mutant: Mutant): Promise<Seen | undefined> {
  if (values.tests || !simulatedFiles.has(mutant.file)) return undefined;
  await expectSound(worlds, look);
  const source = mutated(sourceOf(mutant), mutant);
  const seen = await worlds.look({ ...LOOKS[look], path: join(ROOT, mutant.file), source });
  return seen === undefined ? undefined : { by: 'simulator', seen: seen.slice(0, 180) };
}

/** Without a mutant the same worlds must break nothing, else what they show says nothing of mutants. */
async function expectSound(worlds: Worlds, look: keyof typeof LOOKS): Promise<void> {
  if (soundLooks.has(look)) return;
  await worlds.expectSound({ ...LOOKS[look], path: join(ROOT, 'lib/jobs/lifecycle/lifecycle.ts') });
  soundLooks.add(look);
}

/** The nearest tests of the mutated file, a short run of the simulator, the other quick tests, a long run, the slow tests. */
async function tried(
  { worlds, tests }: { readonly worlds: Worlds; readonly tests: MutantTests },
  mutant: Mutant,
): Promise<Seen | undefined> {
  const source = sourceOf(mutant);
  const tested = async (files: readonly string[], { isQuick = true } = {}): Promise<Seen | undefined> => {
    const seen = await tests.see({ files, isQuick }, { file: mutant.file, source, broken: mutated(source, mutant) });
    return seen === undefined ? undefined : { by: 'test', seen };
  };
  const { quick, slow } = testsOfFile.witnessesOf(mutant.file);
  try {
    const named =
      mutant.test === undefined ? undefined : await tested([mutant.test], { isQuick: quick.includes(mutant.test) });
    const early =
      named ?? (await tested(quick.slice(0, nearest ?? NEAREST))) ?? (await simulated(worlds, 'short', mutant));
    if (early !== undefined || nearest !== undefined) return early;
    return (
      (await tested(quick.slice(NEAREST))) ??
      (await simulated(worlds, 'long', mutant)) ??
      (await tested(slow, { isQuick: false }))
    );
  } finally {
    await tests.write(mutant.file, source);
  }
}
