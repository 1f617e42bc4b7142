import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const MODULE = new URL('../../../worker-container/service-accounts/untrusted-files.ts', import.meta.url).href;
const isRoot = process.getuid?.() === 0;
/** Any user without privileges. */
const NOBODY = 65_534;

it('an ordinary user removes folders that a job has made read-only, and changes nothing behind links', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-read-only-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const [tree, kept] = [join(folder, 'tree'), join(folder, 'kept')];
  await mkdir(join(tree, 'a/b'), { recursive: true });
  await mkdir(kept);
  for (const place of [tree, join(tree, 'a'), join(tree, 'a/b'), kept]) await writeFile(join(place, 'file'), '');
  await symlink(kept, join(tree, 'a/link'));
  if (isRoot) execFileSync('chown', ['-hR', String(NOBODY), folder]);
  for (const place of [join(tree, 'a/b'), join(tree, 'a'), kept]) await chmod(place, 0o500);
  await chmod(join(tree, 'a/b'), 0);
  const program = `const { removeTree } = await import(${JSON.stringify(MODULE)}); await removeTree(${JSON.stringify(tree)});`;
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { ...(isRoot && { uid: NOBODY }) });
  expect([existsSync(tree), (await stat(kept)).mode & 0o777, existsSync(join(kept, 'file'))]).toEqual([
    false,
    0o500,
    true,
  ]);
});
