import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Home, LocalInfo } from './home.ts';
import { HomeError } from './home-error.ts';

/** Another service runs on the home. */
export class HomeInUseError extends Error {
  override readonly name = 'HomeInUseError';
  /** Undefined while that service is starting or stopping. */
  readonly holder: LocalInfo | undefined;

  constructor(home: Home, holder: LocalInfo | undefined) {
    const who =
      holder === undefined ? 'is starting or stopping just now' : `is process ${holder.pid} at ${holder.base_url}`;
    super(`another local run holds ${home.path}: it ${who}. Stop it first, or set PROMPTQ_HOME to another folder`);
    this.holder = holder;
  }
}

/** SQLite's result code when another connection holds a lock. */
const SQLITE_BUSY = 5;
/** A connection that is garbage-collected would release its lock. */
const held = new Set<DatabaseSync>();

/**
 * Locks a home for this process until `release` or the process's exit, even a crash. The lock is the kernel's, on a
 * file of the home: it excludes other containers too, and only users who can open the file can hold it.
 * @throws HomeInUseError; HomeError if the file can't be locked
 */
export async function lockHome(home: Home): Promise<{ release(): Promise<void> }> {
  const path = join(home.path, 'lock.sqlite');
  const database = lock(path);
  if (database === 'in use') throw new HomeInUseError(home, await home.readInfo());
  held.add(database);
  return {
    release: async () => {
      if (held.delete(database)) database.close();
    },
  };
}

function lock(path: string): DatabaseSync | 'in use' {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    // Not by an open file: closing that would release the locks that this process has on it.
    chmodSync(path, 0o600);
    // Nothing is ever written: no journal is needed, and a full disk prevents no start.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return 'in use';
    const reason = error instanceof Error ? error.message : String(error);
    throw new HomeError(`${path} can't be locked: ${reason}. Make it writable for this user, or remove it`, {
      cause: error,
    });
  }
}
