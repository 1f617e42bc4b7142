import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { BEGIN_EMPTY, HomeError } from '../../run/home-error.ts';

interface DatabaseCheck {
  readonly file: string;
  /** Whether earlier runs have stored data in it. */
  readonly isUsed: boolean;
}

/**
 * Checks, before the emulator starts, that its database is readable and not lost.
 * @throws HomeError
 */
export function checkDatabase({ file, isUsed }: DatabaseCheck): void {
  const isLost = !existsSync(file) || tablesIn(file) === 0;
  if (!isLost || !isUsed) return;
  throw new HomeError(
    `${file} is ${existsSync(file) ? 'empty' : 'missing'}, but this home has been in use: its jobs were in that file. ` +
      `Restore the file from a copy; ${BEGIN_EMPTY}`,
  );
}

function tablesIn(file: string): number {
  try {
    using database = new DatabaseSync(file);
    const isMade = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_tables'").get() !== undefined;
    return isMade ? Number(database.prepare('SELECT COUNT(*) AS n FROM _tables').get()?.n) : 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HomeError(`${file} can't be read: ${reason}. Restore it from a copy; ${BEGIN_EMPTY}`, { cause: error });
  }
}
