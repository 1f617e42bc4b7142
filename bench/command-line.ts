import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `npm run bench -- command-line`: size of the package of `promptq`, and the time of its `--help` beside an empty Node. */
const RUNS = 20;
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'promptq-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const tarball = execFileSync(process.execPath, [join(root, 'bin/pack-cli.ts'), folder], { encoding: 'utf8' }).trim();
writeFileSync(join(folder, 'package.json'), '{}');
execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball], { cwd: folder });
const promptq = join(folder, 'node_modules/promptq/lib/promptq.mjs');

const programs = {
  'node -e 0': ['-e', '0'],
  'promptq --help': [promptq, '--help'],
  'promptq list --help': [promptq, 'list', '--help'],
};
const times = Object.fromEntries(Object.keys(programs).map((name) => [name, [] as number[]]));
// By turns, so that a busy moment of the machine meets all of them.
for (let turn = 0; turn < RUNS; turn++)
  for (const [name, args] of Object.entries(programs)) {
    const startedAt = performance.now();
    spawnSync(process.execPath, args);
    times[name]?.push(performance.now() - startedAt);
  }

console.log(`package: ${statSync(tarball).size} bytes`);
for (const [name, taken] of Object.entries(times))
  console.log(`${name}: ${median(taken).toFixed(0)} ms (median of ${RUNS})`);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0)) / 2;
}
