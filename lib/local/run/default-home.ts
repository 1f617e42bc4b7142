import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { access, readlink, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';

/** The link to its home in a folder in which `npm start` has started one. */
const LINK = '.promptq';
/** Characters of a folder's name in the name of its home: sockets have short paths. */
const MAX_NAME = 20;

/**
 * The home of a start that names none. Each folder has its own, in the user's data folder: no repository can bring it,
 * and what jobs work in lies below no repository, package or instruction file of the folder.
 */
export function defaultHome(folder = process.cwd(), env: NodeJS.ProcessEnv = process.env): string {
  const real = realpathSync(folder);
  const name = basename(real)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, MAX_NAME);
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 8);
  return join(dataFolder(env), 'promptq', `${name}-${hash}`);
}

/** A relative one could be in the very folder that the home must lie outside of. */
function dataFolder({ XDG_DATA_HOME: data = '', HOME: home }: NodeJS.ProcessEnv): string {
  return isAbsolute(data) ? data : join(home || homedir(), '.local', 'share');
}

/** What git, npm, node, compilers and agents look for in all folders above the one in which they run. */
const FOUND_FROM_BELOW = ['.git', 'package.json', 'node_modules', 'tsconfig.json', 'AGENTS.md', 'CLAUDE.md'];

/** The paths of what a job in a home finds above it, and may take for its own. */
export async function foundAbove(home: string): Promise<string[]> {
  const found: string[] = [];
  for (let folder = dirname(home); ; folder = dirname(folder)) {
    for (const path of FOUND_FROM_BELOW.map((name) => join(folder, name)))
      if (
        await access(path).then(
          () => true,
          () => false,
        )
      )
        found.push(path);
    if (folder === dirname(folder)) return found;
  }
}

/**
 * Makes the default home of a folder reachable as its `.promptq`. Replaces nothing.
 * @returns why the link is not there; undefined: it is
 */
export async function linkHome(home: string, folder: string): Promise<string | undefined> {
  const link = join(folder, LINK);
  const failure = await symlink(home, link).then(
    () => undefined,
    (error: Error) => error,
  );
  const target = failure && (await readlink(link).catch(() => undefined));
  if (failure === undefined || target === home) return undefined;
  return `${link} is not this home, and stays as it is (${failure.message}). If it is a home of yours, start it with PROMPTQ_HOME=${LINK}`;
}
