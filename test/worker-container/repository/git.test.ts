import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { GitRefusedError, type GitSurroundings, git } from '../../../worker-container/repository/git.ts';
import { openSurroundings } from './surroundings.ts';

let around: Awaited<ReturnType<typeof openSurroundings>>;
beforeEach(async () => {
  around = await openSurroundings(['hunter2-secret']);
});
afterEach(async () => await around.remove());

/** Surroundings in which `git` is this script of bash. */
async function withGit(script: string): Promise<GitSurroundings> {
  const programs = join(around.folder, 'programs');
  await mkdir(programs);
  await writeFile(join(programs, 'git'), `#!/bin/bash\n${script}\n`);
  await chmod(join(programs, 'git'), 0o755);
  const { surroundings } = around;
  return { ...surroundings, env: { ...surroundings.env, PATH: `${programs}:${process.env.PATH}` } };
}

it.each([
  [
    'echo "noise" >&2; echo "fatal: no such ref hunter2-secret" >&2; exit 128',
    128,
    'git fetch: fatal: no such ref ***',
  ],
  ['for n in 1 2 3; do echo "error: $n" >&2; done; exit 1', 1, 'git fetch: error: 2 error: 3'],
  ['printf "one\\ntwo\\n\\n three \\n" >&2; exit 1', 1, 'git fetch: two three'],
  ['echo "remote: denied" >&2; echo "hint: x" >&2; exit 1', 1, 'git fetch: remote: denied'],
  ['exit 7', 7, 'git fetch: exit code 7'],
])('%s', async (script, code, message) => {
  await expect(git(await withGit(script), ['fetch', '--quiet'])).rejects.toThrow(new GitRefusedError(message, code));
});

it('more output than 8 MiB is an error, unless it is given piece by piece', async () => {
  const surroundings = await withGit('head -c 8400000 /dev/zero');
  await expect(git(surroundings, ['show'])).rejects.toThrow('git show: its output has more than 8 MiB');
  let bytes = 0;
  const onStdout = (chunk: Buffer) => {
    bytes += chunk.length;
  };
  const given = await git(surroundings, ['show'], { onStdout });
  expect([given, bytes]).toEqual(['', 8_400_000]);
});

it('a call that takes too long is ended, and so is one of an attempt that ends', async () => {
  const surroundings = await withGit('sleep 300');
  await expect(git(surroundings, ['fetch'], { limit: 50 })).rejects.toThrow('it took longer than 0.05 seconds');
  const ending = new Ending();
  ending.request('cancelled');
  await expect(git({ ...surroundings, ending }, ['fetch'])).rejects.toMatchObject({
    name: 'CancelledBeforeStartError',
  });
});
