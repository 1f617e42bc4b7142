import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { marshall } from '@aws-sdk/util-dynamodb';
import { indexKeys } from '../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { TABLES } from '../../lib/platform/aws/tables.ts';
import type { EmulatedDeployment } from '../../test/stand-ins/emulated-deployment.ts';

const JOBS = TABLES.jobs.id;

/** Writes jobs into the emulator's database, past its API, which would take hours for a million. */
export function loadJobs(deployment: Pick<EmulatedDeployment, 'env'>, jobs: Iterable<Job>): void {
  const file = join(deployment.env.PROMPTQ_WORKSPACES, '..', 'dynamodb', 'ddb.sqlite');
  using database = new DatabaseSync(file, { timeout: 60_000 });
  // Keys are in no order: without room for all pages, each row would read and write some.
  database.exec('PRAGMA cache_size = -2000000; PRAGMA synchronous = OFF');
  const item = database.prepare(`INSERT INTO "${JOBS}" (pk, sk, item_json, item_size) VALUES (?, '', ?, ?)`);
  const entries = new Map<string, StatementSync>(
    TABLES.jobs.indexes.map(({ name }) => [
      name,
      database.prepare(
        `INSERT INTO "${JOBS}::gsi::${name}" (gsi_pk, gsi_sk, table_pk, table_sk, item_json) VALUES (?, ?, ?, '', ?)`,
      ),
    ]),
  );
  database.exec('BEGIN');
  for (const job of jobs) {
    const stored: Readonly<Record<string, unknown>> = { ...job, ...indexKeys(job) };
    const marshalled = marshall(stored, { removeUndefinedValues: true });
    const json = JSON.stringify(marshalled);
    item.run(key(job.id), json, json.length);
    for (const { name, partitionKey, sortKey, attributes } of TABLES.jobs.indexes) {
      if (stored[partitionKey] === undefined) continue;
      const names: readonly string[] =
        attributes === 'all' ? Object.keys(marshalled) : ['id', partitionKey, sortKey, ...attributes];
      const entry = Object.fromEntries(names.flatMap((each) => (marshalled[each] ? [[each, marshalled[each]]] : [])));
      entries.get(name)?.run(key(stored[partitionKey]), key(stored[sortKey]), key(job.id), JSON.stringify(entry));
    }
  }
  database.exec('COMMIT');
}

/** A key as the emulator stores a text. */
function key(value: unknown): string {
  return `S:${String(value)}`;
}
