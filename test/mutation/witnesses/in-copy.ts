import { rmSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is installed or built, and what belongs to this checkout alone. */
const LEFT_OUT = new Set(['node_modules', '.git', '.promptq', 'cdk.out', 'dist']);

/** Acts in a copy of the repository, which is removed whatever happens; the repository is never written to. */
export async function inCopy(root: string, act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-mutant-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    for (const name of await readdir(root))
      if (!LEFT_OUT.has(name)) await cp(join(root, name), join(folder, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await act(folder);
  } finally {
    process.off('exit', remove);
    await rm(folder, { recursive: true, force: true });
  }
}
