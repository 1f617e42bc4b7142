import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Mutant, mutated } from './mutant.ts';

const COMPILER = fileURLToPath(new URL('../../node_modules/typescript-native/bin/tsc', import.meta.url));

/** The projects that `npm run types` checks. */
const PROJECTS = ['.', 'console'] as const;

interface Compiling {
  readonly folder: string;
  readonly sources: ReadonlyMap<string, string>;
  readonly write: (file: string, text: string) => Promise<void>;
}

/**
 * Shows breaks to the compiler in a copy of the repository, as many together as are in different files: a run of it
 * costs as much as ten test files.
 * @returns what it says of the file of each break that it refuses.
 */
export async function compileBreaks(breaks: readonly Mutant[], compiling: Compiling): Promise<Map<Mutant, string>> {
  const refused = new Map<Mutant, string>();
  const byFile = [...Map.groupBy(breaks, ({ file }) => file).values()];
  const rounds = Math.max(0, ...byFile.map((inFile) => inFile.length));
  for (let round = 0; round < rounds; round += 1)
    await compileRound(
      byFile.flatMap((inFile) => inFile[round] ?? []),
      compiling,
      refused,
    );
  return refused;
}

/** Errors in files without a break are of one that is not found yet: those are compiled by halves. */
async function compileRound(breaks: readonly Mutant[], compiling: Compiling, refused: Map<Mutant, string>) {
  const { folder, sources, write } = compiling;
  for (const each of breaks) await write(each.file, mutated(sources.get(each.file) ?? '', each));
  const errors = await errorsIn(folder);
  for (const { file } of breaks) await write(file, sources.get(file) ?? '');
  if (errors.size === 0) return;
  const isIn = ({ file }: Mutant) => errors.has(file);
  for (const each of breaks.filter(isIn)) refused.set(each, errors.get(each.file) ?? '');
  const [first, ...others] = breaks.filter((each) => !isIn(each));
  const isForeign = [...errors.keys()].some((file) => !breaks.some((each) => each.file === file));
  if (first === undefined || !isForeign) return;
  if (others.length === 0) {
    if (breaks.length === 1) refused.set(first, [...errors.values()][0] ?? '');
    else await compileRound([first], compiling, refused);
    return;
  }
  if (others.length + 1 < breaks.length) return await compileRound([first, ...others], compiling, refused);
  const half = Math.ceil(breaks.length / 2);
  await compileRound(breaks.slice(0, half), compiling, refused);
  await compileRound(breaks.slice(half), compiling, refused);
}

/** The first error of each file that has any. */
async function errorsIn(folder: string): Promise<Map<string, string>> {
  const errors = new Map<string, string>();
  for (const project of PROJECTS) {
    // What was checked before is kept beside the copy's sources.
    const kept = ['--incremental', '--tsBuildInfoFile', join(folder, `${project}.tsbuildinfo`)];
    const args = [COMPILER, '--noEmit', '--pretty', 'false', ...kept, '-p', project];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    for (const [line, file = ''] of output.matchAll(/^([^\s(][^(\n]*)\(\d+,\d+\): error .*$/gm))
      if (!errors.has(file)) errors.set(file, line.slice(0, 180));
    if (child.exitCode !== 0 && errors.size === 0) throw new Error(`the compiler failed: ${output.slice(0, 500)}`);
  }
  return errors;
}
