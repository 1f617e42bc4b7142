import { constants } from 'node:fs';
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { findCodex } from '../../../worker-container/agents/vendor-binary.ts';

/**
 * A copy of codex that every account can read, as the one in the image can be: a checkout of this project may lie in a
 * folder that only its owner may enter, and codex starts the programs beside it.
 */
export async function shareCodex(): Promise<{ path: string; remove(): Promise<void> }> {
  const installed = await findCodex(undefined);
  const platform = dirname(dirname(installed));
  const folder = await mkdtemp(join(tmpdir(), 'promptq-codex-'));
  await chmod(folder, 0o755);
  await cp(platform, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return {
    path: join(folder, 'bin', basename(installed)),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}
