import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

/** A folder on a person's machine below which files of a job are stored. It is opened once, and nothing below it by a link. */
export class TargetFolder {
  /** As its user named it. */
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #at: string;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
    this.#at = nameOf(handle, path);
  }

  /** Opens a folder, which is made if need be. @throws CommandError if that is impossible */
  static async open(path: string): Promise<TargetFolder> {
    try {
      await mkdir(path, { recursive: true });
      return new TargetFolder(path, await open(path, constants.O_RDONLY | constants.O_DIRECTORY));
    } catch (error) {
      throw new CommandError(EXIT.jobFailed, `nothing can be stored in ${path}: ${diskFault(error)}`);
    }
  }

  /** Whether anything has this path in the folder, even a link to nothing. */
  async has(path: string): Promise<boolean> {
    return await lstat(join(this.#at, path)).then(
      () => true,
      () => false,
    );
  }

  /**
   * Works in a folder below this one, which is made if need be.
   * @param work gets a path of the folder, which no link can redirect where the system names open files
   * @throws Error of the disk, also if a link or file is in the place of a folder
   */
  async within<T>(parts: readonly string[], work: (folder: string) => Promise<T>): Promise<T> {
    let at = this.#at;
    let last: FileHandle | undefined;
    try {
      for (const part of parts) {
        const path = join(at, part);
        await mkdir(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'EEXIST') throw error;
        });
        const next = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
        await last?.close();
        last = next;
        at = nameOf(next, path);
      }
      return await work(at);
    } finally {
      await last?.close();
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Linux names an open folder whatever becomes of its path. Elsewhere, its path was none of a link when it was opened. */
function nameOf({ fd }: FileHandle, path: string): string {
  const name = `/proc/self/fd/${fd}`;
  return existsSync(name) ? name : path;
}

/** An error of the disk for people, without the path, which may be that of an open folder. */
export function diskFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOTDIR' || code === 'ELOOP') return `${code}: a file or a link is in the place of a folder`;
  return message.replace(/, \w+ '.*$/s, '');
}
