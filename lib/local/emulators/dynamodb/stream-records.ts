import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds to wait for the emulator's own write; it waits 5 s for ours. */
const BUSY_TIMEOUT_MS = 2_000;
/** Records deleted in one transaction, a few milliseconds' work that blocks both this process and the emulator. */
const RECORDS_PER_DELETE = 200;

/**
 * Indexes the records of the emulator's streams by sequence number. dynoxide 1.2.1 reads and numbers them by this
 * expression without an index, so each poll and each write would scan all records.
 * @throws SQLite's Error for a file that is damaged or no database
 */
export function indexStreamRecords(file: string): void {
  if (!existsSync(file)) return;
  using database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  const isMade = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_stream_records'").get() !== undefined;
  if (!isMade) return;
  database.exec(`
    CREATE INDEX IF NOT EXISTS promptq_stream_position
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER))
  `);
}

export interface StreamTrim {
  readonly file: string;
  /** The stream's table. */
  readonly table: string;
  /** The sequence number up to which a shard's records are counted; undefined: none are. */
  readonly counted: (shardId: string) => Promise<string | undefined>;
}

/**
 * Deletes counted records of a stream, which dynoxide never does, while the emulator runs. The newest record stays:
 * dynoxide derives the next number from it.
 * @returns the number of deleted records
 */
export async function trimStreamRecords({ file, table, counted }: StreamTrim): Promise<number> {
  using database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  const newest = database
    .prepare(
      `SELECT shard_id AS shardId, CAST(sequence_number AS INTEGER) AS sequence FROM _stream_records
       WHERE table_name = ? ORDER BY CAST(sequence_number AS INTEGER) DESC LIMIT 1`,
    )
    .get(table);
  if (newest === undefined) return 0;
  const position = await counted(String(newest.shardId));
  if (position === undefined) return 0;
  const end = Math.min(Number(position), Number(newest.sequence));
  const remove = database.prepare(
    `DELETE FROM _stream_records WHERE id IN (
       SELECT id FROM _stream_records WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < ?
       ORDER BY CAST(sequence_number AS INTEGER) LIMIT ?)`,
  );
  let deleted = 0;
  for (;;) {
    const changes = Number(remove.run(table, end, RECORDS_PER_DELETE).changes);
    deleted += changes;
    if (changes < RECORDS_PER_DELETE) return deleted;
    await nextTurn();
  }
}
