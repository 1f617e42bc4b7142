import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HARMLESS } from './harmless-mutants.ts';
import { Imports } from './imports.ts';
import { inCopy } from './in-copy.ts';
import { type Mutant, mutated } from './mutant.ts';
import { MutantLog, type Verdict } from './mutant-log.ts';
import { MutantTests } from './mutant-tests.ts';
import { Worlds } from './mutant-worlds.ts';
import { areaOf, breaksByArea, sampleOf } from './sample.ts';
import { TestsOfFile } from './tests-of-file.ts';

/**
 * `npm run prove -- sample [--seed N] [--count N] [--only TEXT] [--minutes N] [--log FILE] [--table]`: breaks the product
 * in random places, one at a time, in a copy, and shows each break to the simulator, the tests of its file and subject,
 * and the compiler. A verdict in the log stands while the file reads the same.
 * `--only`: those of the sample whose file or name contains it. `--table` tries nothing and prints the score by area.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOOK = { seed: 1, lives: 600 } as const;
const COMPILER = join(ROOT, 'node_modules/typescript-native/bin/tsc');

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '300' },
    only: { type: 'string', default: '' },
    minutes: { type: 'string', default: 'Infinity' },
    log: { type: 'string' },
    table: { type: 'boolean', default: false },
  },
});
type Seen = Pick<Verdict, 'by' | 'seen'>;

const drawn = sampleOf(breaksByArea(ROOT), { count: Number(values.count), seed: Number(values.seed) });
const sample = drawn.filter(({ file, name }) => `${file} ${name}`.includes(values.only));
const log = new MutantLog(values.log);
const testsOfFile = new TestsOfFile(ROOT);
const sources = new Map<string, string>();
for (const { file } of sample) sources.set(file, await readFile(join(ROOT, file), 'utf8'));
const verdictOf = (mutant: Mutant) => log.verdictOf(mutant, sources.get(mutant.file) ?? '');
const reasonOf = ({ file, find, replace }: Mutant) =>
  HARMLESS.find((each) => each.file === file && each.find === find && each.replace === replace)?.reason;

// Children and the copy go with the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
if (!values.table) await tryAll();
console.log(scores());
for (const mutant of sample)
  if (verdictOf(mutant)?.by === 'nobody') console.log(`SURVIVED: ${mutant.name} → ${mutant.replace.slice(0, 60)}`);

async function tryAll(): Promise<void> {
  const end = performance.now() + Number(values.minutes) * 60_000;
  const simulated = new Imports(ROOT).stepsFrom(['test/simulation/worlds/run-worlds.ts'], { types: false });
  const worlds = new Worlds();
  try {
    await worlds.expectSound({ ...LOOK, path: join(ROOT, 'lib/jobs/lifecycle/lifecycle.ts') });
    await inCopy(ROOT, async (folder) => {
      const tests = new MutantTests(ROOT, folder);
      for (const mutant of sample) {
        if (performance.now() > end) break;
        if (verdictOf(mutant) !== undefined || reasonOf(mutant) !== undefined) continue;
        const beganAt = performance.now();
        const isSimulated = simulated.has(mutant.file);
        const seen = await tried(mutant, { folder, tests, ...(isSimulated && { worlds }) });
        const seconds = Math.round((performance.now() - beganAt) / 1000);
        log.note({ mutant: mutant.name, file: mutant.file, seconds, ...seen }, sources.get(mutant.file) ?? '');
        console.log(`${seen.by}: ${mutant.name} (${seen.seen ?? ''}; ${seconds} s)`);
      }
      if (tests.unsound.size > 0) console.log(`fail without a break: ${[...tests.unsound].join(', ')}`);
    });
  } finally {
    worlds.end();
  }
}

async function tried(
  mutant: Mutant,
  { folder, tests, worlds }: { readonly folder: string; readonly tests: MutantTests; readonly worlds?: Worlds },
): Promise<Seen> {
  const source = sources.get(mutant.file) ?? '';
  const broken = mutated(source, mutant);
  const set = (isMutated: boolean) => writeFile(join(folder, mutant.file), isMutated ? broken : source);
  const { quick, slow } = testsOfFile.witnessesOf(mutant.file);
  try {
    const path = join(ROOT, mutant.file);
    const violation = await worlds?.look({ ...LOOK, path, source: broken });
    if (violation !== undefined) return { by: 'simulator', seen: violation.slice(0, 180) };
    const failed = (await tests.see(quick, set)) ?? (await tests.see(slow, set));
    if (failed !== undefined) return { by: 'test', seen: failed };
    await set(true);
    const complaint = await compiled(folder);
    return complaint === undefined ? { by: 'nobody' } : { by: 'compiler', seen: complaint };
  } finally {
    await set(false);
  }
}

/** @returns the first thing that the compiler finds; undefined: nothing. */
async function compiled(folder: string): Promise<string | undefined> {
  for (const project of ['.', 'console']) {
    const child = spawn(process.execPath, [COMPILER, '--noEmit', '-p', project], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    if (child.exitCode !== 0) return output.split('\n')[0]?.slice(0, 180) ?? '';
  }
  return undefined;
}

/** The score of each area, as a table of Markdown. */
function scores(): string {
  const line = (name: string, of: readonly Mutant[]) => {
    const verdicts = of.flatMap((mutant) => verdictOf(mutant) ?? []);
    const seen = verdicts.filter(({ by }) => by !== 'nobody').length;
    const harmless = of.filter((mutant) => reasonOf(mutant) !== undefined).length;
    const score = verdicts.length === 0 ? '' : `${Math.round((100 * seen) / verdicts.length)} %`;
    return `| ${[name, verdicts.length, seen, harmless || '', score].join(' | ')} |`;
  };
  const areas = [...Map.groupBy(sample, ({ file }) => areaOf(file))].toSorted(([a], [b]) => a.localeCompare(b));
  return [
    '| area | shown | seen | change nothing that counts | score |',
    '|---|---|---|---|---|',
    ...areas.map(([area, of]) => line(area, of)),
    line('all', sample),
  ].join('\n');
}
