import { constants, type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { isLinux } from '../../lib/platform/platform-name.ts';

/** Opens folders, never links: no one can plant a link that leads elsewhere. */
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY;
const DIRECTORY_ITSELF = DIRECTORY | constants.O_NOFOLLOW;

/** Opens a folder that an operator configured. Links to it are followed. */
export async function openRoot(path: string): Promise<FileHandle> {
  return named(await open(path, DIRECTORY), path);
}

/** Where open folders were found. */
const names = new WeakMap<FileHandle, string>();

/**
 * A path by which any process of this user reaches an open folder, even after a rename. Where only Linux could give one,
 * the path by which the folder was opened: there, jobs have no separate accounts, and no rights that the worker lacks.
 */
export function pathOf(folder: FileHandle): string {
  return isLinux() ? `/proc/${process.pid}/fd/${folder.fd}` : (names.get(folder) ?? '');
}

function named(folder: FileHandle, path: string): FileHandle {
  names.set(folder, path);
  return folder;
}

/** Opens a folder relative to its open parent. */
async function openBelow(above: FileHandle, name: string): Promise<FileHandle> {
  const path = join(pathOf(above), name);
  const folder = await open(path, DIRECTORY_ITSELF).catch((cause: unknown) => {
    throw new Error(`there is a link or a file named ${name} on the way, or it can't be opened`, { cause });
  });
  return named(folder, path);
}

/**
 * Opens a folder relative to its open parent, and creates it if needed.
 * @returns isNew: it was just created and belongs to this process's user.
 */
export async function stepInto(above: FileHandle, name: string): Promise<{ below: FileHandle; isNew: boolean }> {
  const isMade = await mkdir(`${pathOf(above)}/${name}`, { mode: 0o700 }).then(
    () => true,
    () => false,
  );
  const below = await openBelow(above, name);
  // Users who may write to the parent can have replaced it.
  const { uid, mode } = await below.stat();
  return { below, isNew: isMade && uid === process.getuid?.() && (mode & 0o777) === 0o700 };
}

/**
 * Opens a folder below a root, step by step, and passes it to `work`.
 * @returns undefined if a folder on the way is missing, or is none.
 */
export async function withFolder<T>(
  root: string,
  names: readonly string[],
  work: (folder: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  let folder = await openRoot(root).catch(() => undefined);
  try {
    for (const name of names) {
      const below: FileHandle | undefined = folder && (await openBelow(folder, name).catch(() => undefined));
      await folder?.close();
      folder = below;
    }
    return folder && (await work(folder));
  } finally {
    await folder?.close();
  }
}
