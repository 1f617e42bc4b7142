import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as z from 'zod';
import { isLinux } from '../../platform/platform-name.ts';
import { endProcess, findProgram } from '../run/child-process.ts';
import { BEGIN_EMPTY, HomeError } from '../run/home-error.ts';
import type { RunCredentials } from '../run-access/run-credentials.ts';
import { emulatorBinary } from './dynamodb/emulator-binary.ts';
import { type EmulatorProcess, startEmulatorProcess } from './dynamodb/emulator-process.ts';
import { TableWrites } from './dynamodb/table-writes.ts';

export interface DynamodbEmulatorOptions {
  /** The data folder; created if it is missing. Two emulators must not share it: nothing detects that. */
  readonly folder: string;
  /** Callers sign with these. */
  readonly credentials: RunCredentials;
  /** Whether earlier runs have stored data in the folder: then it must exist. */
  readonly isUsed?: boolean;
  /** The complete environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  /** An endpoint that the operator runs (such as DynamoDB Local): nothing is started or checked. */
  readonly externalEndpoint?: string | undefined;
  /** true: behaves as on a system that denies this user a separate network (for tests). */
  readonly sharesNetwork?: boolean;
}

export interface DynamodbEmulator {
  readonly endpoint: string;
  /** The emulator's current process id; undefined with an external endpoint. */
  pid(): number | undefined;
  /** The current ids of all its processes. */
  pids(): readonly number[];
  /** undefined with an external endpoint. */
  readonly writes?: TableWrites;
  /** Deletes the counted records of a table's stream; does nothing with an external endpoint. */
  trimStream(trim: Omit<StreamTrim, 'file'>): Promise<void>;
  stop(): Promise<void>;
}

const DATABASE_NAME = 'ddb.sqlite';

/**
 * Starts dynoxide where only this process reaches it, and a loopback port that admits callers with the run's
 * credentials. If it exits (1.2.1 aborts on a multi-byte character inside an expression string), it is restarted on the
 * same file; acknowledged writes survive.
 * @throws HomeError if the database is damaged or lost; Error without a binary for this platform and without an
 *   external endpoint, or if it can't start
 */
export async function startDynamodbEmulator(options: DynamodbEmulatorOptions): Promise<DynamodbEmulator> {
  const { folder, credentials, env, log, externalEndpoint } = options;
  if (externalEndpoint !== undefined && externalEndpoint !== '') {
    const nothing = async () => undefined;
    return { endpoint: externalEndpoint, pid: () => undefined, pids: () => [], trimStream: nothing, stop: nothing };
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, DATABASE_NAME);
  checkDatabase({ file, isUsed: options.isUsed === true });
  indexStreamRecords(file);
  const network = options.sharesNetwork === true ? undefined : await privateNetwork();
  if (network === undefined) log(`this system allows no separate network for the DynamoDB emulator: ${exposure()}`);
  const binary = await emulatorBinary(log);
  const writes = new TableWrites();
  const onWrite = (tables: readonly string[]) => writes.note(tables);
  const launch = async () => await startEmulatorProcess({ binary, file, credentials, env, network, onWrite });
  let running = await launch();
  // The emulator has created the tables of a new file.
  indexStreamRecords(file);
  const stopped = new AbortController();
  const supervised = (async () => {
    for (;;) {
      await running.ended;
      if (stopped.signal.aborted) return;
      log(`the DynamoDB emulator ended unexpectedly and is started again; its last words: ${running.lastWords()}`);
      const next = await launchAgain(launch, log, stopped.signal);
      if (next === undefined) return;
      running = next;
      if (stopped.signal.aborted) return await endProcess(next.child, 2_000);
    }
  })();
  // Held for the whole run, so that no other process takes the port while the emulator restarts.
  const listener = createServer({ pauseOnConnect: true }, (client) => running.take(client));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = z.object({ port: z.number() }).parse(listener.address());
  return {
    endpoint: `http://127.0.0.1:${port}`,
    writes,
    pid: () => running.pid,
    pids: () => [running.pid, ...(running.child.pid === undefined ? [] : [running.child.pid])],
    trimStream: async (trim) => {
      await trimStreamRecords({ file, ...trim });
    },
    stop: async () => {
      stopped.abort();
      listener.close();
      await endProcess(running.child, 2_000);
      await supervised;
    },
  };
}

function exposure(): string {
  return isLinux()
    ? 'others could reach it while it starts'
    : 'other programs on this machine can reach it while the service runs';
}

async function launchAgain(
  launch: () => Promise<EmulatorProcess>,
  log: (line: string) => void,
  stopped: AbortSignal,
): Promise<EmulatorProcess | undefined> {
  for (let wait = 50; !stopped.aborted; wait = Math.min(wait * 2, 5_000)) {
    try {
      return await launch();
    } catch (error) {
      log(`${String(error)}; next try in ${wait} ms`);
      await delay(wait, undefined, { signal: stopped }).catch(() => undefined);
    }
  }
  return undefined;
}

/** Brings up the namespace's loopback interface (SIOCSIFFLAGS with IFF_UP and IFF_LOOPBACK), then execs the command. */
const LOOPBACK_UP = `
use Socket;
socket(my $s, AF_INET, SOCK_DGRAM, 0) or die "socket: $!";
my $flags = pack("a16 s x22", "lo", 9);
ioctl($s, 0x8914, $flags) or die "ioctl: $!";
exec @ARGV or die "exec: $!";
`;

/**
 * The command prefix that starts a program in an empty network namespace, also without root.
 * @returns undefined where the system denies this user one (some containers, AppArmor on Ubuntu from 24.04 on)
 */
async function privateNetwork(): Promise<readonly string[] | undefined> {
  if (!isLinux()) return undefined;
  const [unshare, perl] = await Promise.all([findProgram('unshare'), findProgram('perl')]);
  if (unshare === undefined || perl === undefined) return undefined;
  const words = [unshare, '--user', '--map-root-user', '--net', perl, '-e', LOOPBACK_UP];
  const [program = '', ...args] = words;
  return await promisify(execFile)(program, [...args, 'true']).then(
    () => words,
    () => undefined,
  );
}

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

/** Milliseconds to wait for the emulator's own write; it waits 5 s for ours. */
const BUSY_TIMEOUT_MS = 2_000;
/** Records deleted in one transaction, a few milliseconds' work that blocks both this process and the emulator. */
const RECORDS_PER_DELETE = 200;

/**
 * Indexes the records of the emulator's streams by sequence number. dynoxide 1.2.1 reads and numbers them by this
 * expression without an index, so each poll and each write would scan all records.
 * @throws SQLite's Error for a file that is damaged or no database
 */
function indexStreamRecords(file: string): void {
  if (!existsSync(file)) return;
  using database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  const isMade = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_stream_records'").get() !== undefined;
  if (!isMade) return;
  database.exec(`
    CREATE INDEX IF NOT EXISTS promptq_stream_position
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER))
  `);
}

interface StreamTrim {
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
async function trimStreamRecords({ file, table, counted }: StreamTrim): Promise<number> {
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
