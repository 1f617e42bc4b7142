import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Imports } from './imports.ts';
import { type Mutant, mutated } from './mutant.ts';

const COMPILER = fileURLToPath(new URL('../../node_modules/typescript-native/bin/tsc', import.meta.url));

/** The projects that `npm run types` checks. */
const PROJECTS = ['.', 'console'] as const;

interface Compiling {
  readonly folder: string;
  readonly sources: ReadonlyMap<string, string>;
  readonly imports: Imports;
  readonly write: (file: string, text: string) => Promise<void>;
}

/**
 * Shows breaks to the compiler in a copy of the repository, as many together as are in different files: a run of it
 * costs as much as ten test files. An error may come from a break in a file that is imported: such a break is compiled
 * once more, alone.
 * @returns what it says of the file of each break that it refuses; what it would say of other files is not known
 */
export async function compileTogether(breaks: readonly Mutant[], compiling: Compiling): Promise<Map<Mutant, string>> {
  const refused = new Map<Mutant, string>();
  const byFile = [...Map.groupBy(breaks, ({ file }) => file).values()];
  const rounds = Math.max(0, ...byFile.map((inFile) => inFile.length));
  for (let round = 0; round < rounds; round += 1) {
    const together = byFile.flatMap((inFile) => inFile[round] ?? []);
    const errors = await errorsWith(together, compiling);
    for (const each of together) {
      const isSure = !together.some(({ file }) => compiling.imports.of(each.file).includes(file));
      const error = errors.has(each.file) && !isSure ? await compileAlone(each, compiling) : errors.get(each.file);
      if (error !== undefined) refused.set(each, error);
    }
  }
  return refused;
}

/** @returns the first thing that the compiler says of one break, in whatever file; undefined: nothing. */
export async function compileAlone(mutant: Mutant, compiling: Compiling): Promise<string | undefined> {
  const [error] = (await errorsWith([mutant], compiling)).values();
  return error;
}

async function errorsWith(breaks: readonly Mutant[], { folder, sources, write }: Compiling) {
  for (const each of breaks) await write(each.file, mutated(sources.get(each.file) ?? '', each));
  const errors = await errorsIn(folder);
  for (const { file } of breaks) await write(file, sources.get(file) ?? '');
  return errors;
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
