import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds that git may take: the start of a run waits for it. */
const TIMEOUT_MS = 2_000;

/**
 * The commit of the checkout that the service runs from; undefined: it is an installed package, or there is no git.
 * @param root folder of the package. A repository around it is someone else's.
 */
export function checkoutCommit(root: string): string | undefined {
  if (!existsSync(join(root, '.git'))) return undefined;
  try {
    const args = ['-C', root, 'rev-parse', 'HEAD'];
    const commit = execFileSync('git', args, {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return commit.trim();
  } catch {
    return undefined;
  }
}
