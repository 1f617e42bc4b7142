import { execFile } from 'node:child_process';
import { mkdtemp, symlink } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { startRun } from './measured-run.ts';
import { CLIENTS, drain, quantile, single } from './short-jobs.ts';

/**
 * `npm run bench -- short [--against COMMIT] [--rounds N] [--jobs N]`: how long a short job takes and what it costs the
 * worker, in local runs. With `--against`, rounds of this tree and of another commit take turns, so that both meet the
 * same machine.
 */
const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    jobs: { type: 'string', default: '200' },
  },
});
const JOBS = Number(values.jobs);
/** Jobs that run one after the other in an idle worker, after as many that warm it up. */
const SINGLE = { jobs: 40, warmUp: 10 } as const;
const SLOTS = [2, 16] as const;

/** The measured values of one version, by name. */
type Samples = Map<string, number[]>;

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const other = values.against === undefined ? undefined : await checkOut(values.against);
const versions = [
  { name: 'this tree', folder: root, samples: new Map() as Samples },
  ...(other === undefined ? [] : [{ name: `${values.against}`, folder: other, samples: new Map() as Samples }]),
];
const load = loadavg()[0]?.toFixed(1);
try {
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const slots of SLOTS) for (const { folder, samples } of versions) await measure(folder, slots, samples);
} finally {
  if (other !== undefined) await run('git', ['-C', root, 'worktree', 'remove', '--force', other]);
}
const { stdout: head } = await run('git', ['-C', root, 'log', '-1', '--format=%h, %cs']);
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${head.trim()}; ${availableParallelism()} cores, load ${load} before and ` +
    `${loadavg()[0]?.toFixed(1)} after, Node ${process.version}; ${values.rounds} rounds, ${JOBS} jobs in each drain\n`,
);
console.log(`| | ${versions.map(({ name }) => name).join(' | ')} |`);
console.log(`|---|${versions.map(() => '---|').join('')}`);
for (const name of versions[0]?.samples.keys() ?? [])
  console.log(`| ${name} | ${versions.map(({ samples }) => shown(name, samples.get(name) ?? [])).join(' | ')} |`);

/** The working tree of a commit, with this tree's dependencies. */
async function checkOut(commit: string): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), 'promptq-bench-')), 'tree');
  await run('git', ['-C', root, 'worktree', 'add', '--detach', folder, commit]);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function measure(folder: string, slots: number, samples: Samples): Promise<void> {
  const measured = await startRun(folder, slots);
  const add = (name: string, value: number) => samples.set(name, [...(samples.get(name) ?? []), value]);
  try {
    for (let n = 0; n < SINGLE.warmUp + SINGLE.jobs; n += 1) {
      const times = await single(measured, n);
      if (n < SINGLE.warmUp) continue;
      add(`POST → first command, ${slots} slots (ms)`, times.started - times.posted);
      add(`end → seen, ${slots} slots (ms)`, times.seen - times.started);
    }
    const { created, rate, cpu } = await drain(measured, slots, JOBS);
    add(`creation, ${CLIENTS} clients, ${slots} slots (jobs/s)`, created);
    add(`drain, ${slots} slots (jobs/s)`, rate);
    add(`CPU of the worker for a job, ${slots} slots (ms)`, cpu);
    const job = await measured.create('true');
    await measured.untilEnded(job);
    const creation = await bareRate(measured.home, { job, part: 'creation', lanes: CLIENTS });
    add(`AWS calls of creations alone, ${CLIENTS} clients, ${slots} slots (creations/s)`, creation);
    add(`creation, of that, ${slots} slots (%)`, (100 * created) / creation);
    const running = await bareRate(measured.home, { job, part: 'run', lanes: slots });
    add(`AWS calls and bash of jobs alone, ${slots} slots (jobs/s)`, running);
    add(`drain, of that, ${slots} slots (%)`, (100 * rate) / running);
  } finally {
    await measured.stop();
  }
}

/** What one process makes of the calls alone, without the service and the worker, in a second. */
async function bareRate(
  home: string,
  { job, part, lanes }: { readonly job: string; readonly part: 'creation' | 'run'; readonly lanes: number },
): Promise<number> {
  const args = ['--home', home, '--job', job, '--part', part, '--lanes', `${lanes}`, '--jobs', `${JOBS}`];
  const { stdout: rate } = await run(process.execPath, [join(root, 'bench/short/bare-calls.ts'), ...args]);
  return Number(rate);
}

/** Times as median and 99th percentile; rates and costs as a median. */
function shown(name: string, sample: readonly number[]): string {
  const median = quantile(sample, 0.5).toFixed(1);
  return name.includes('→') ? `${median}, p99 ${quantile(sample, 0.99).toFixed(0)}` : median;
}
