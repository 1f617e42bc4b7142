import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTANTS, type Mutant } from './mutants.ts';

/** `npm run mutate -- [--seconds N] [--only TEXT]`: takes one safeguard out at a time; the simulator or a test must see it. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['lib', 'worker-container', 'functions', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts'];

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, only: { type: 'string', default: '' } },
});
const waiting = MUTANTS.filter(({ name }) => name.includes(values.only));
const all = waiting.length;
let caught = 0;
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(`caught ${caught} of ${all}`);
process.exitCode = caught === all ? 0 : 1;

async function work(): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const seen = await simulate(mutant);
    if (seen !== undefined) caught += 1;
    console.log(`${seen === undefined ? 'SURVIVED' : 'caught'}: ${mutant.name}${seen ? ` (${seen})` : ''}`);
  }
}

/** @returns the first seed that shows the mutant, with what it broke, or the test that does; undefined: none did. */
async function simulate({ name, file, find, replace, test }: Mutant): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-mutant-'));
  try {
    for (const each of FOLDERS) await cp(join(ROOT, each), join(folder, each), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const source = await readFile(join(folder, file), 'utf8');
    if (!source.includes(find)) throw new Error(`${name}: ${file} has no ${JSON.stringify(find)} any more`);
    await writeFile(join(folder, file), source.replace(find, replace));
    const run = spawn(
      process.execPath,
      ['test/simulation/simulate.ts', '--threads', '1', '--seconds', values.seconds],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const [output, errors] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'exit')]);
    const seen = /^seed \d+: .*$/m.exec(output)?.[0];
    if (seen === undefined && run.exitCode !== 0) throw new Error(`${name}: the simulator failed\n${errors}`);
    return seen?.slice(0, 160) ?? (test && (await testFails(folder, test)) ? test : undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function testFails(folder: string, test: string): Promise<boolean> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const run = spawn(process.execPath, [vitest, 'run', test], { cwd: folder, stdio: 'ignore' });
  await once(run, 'exit');
  return run.exitCode !== 0;
}
