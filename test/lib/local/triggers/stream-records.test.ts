import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnService, startService, waitFor } from '../../../local-run/local-service.ts';

let home: string;
let service: OwnService;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-records-'));
  service = await startService({ home, env: { PROMPTQ_SWEEP_SECONDS: '0.5' } });
});

afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true, force: true });
});

function ask(query: string): Record<string, unknown>[] {
  using database = new DatabaseSync(join(home, 'dynamodb', 'ddb.sqlite'), { readOnly: true, timeout: 5_000 });
  return database.prepare(query).all();
}

const recordCount = () => Number(ask('SELECT COUNT(*) AS n FROM _stream_records')[0]?.n);
const newest = () => Number(ask('SELECT MAX(CAST(sequence_number AS INTEGER)) AS n FROM _stream_records')[0]?.n);

async function runJobs(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { json } = await service.api('POST', '/jobs', { prompt: 'true', profile: 'shell' });
    await waitFor(
      async () => (await service.api('GET', `/jobs/${json.id}/status?wait=20`)).json.status === 'SUCCEEDED',
    );
  }
}

async function countsAre(succeeded: number): Promise<void> {
  await waitFor(async () => (await service.api('GET', '/health')).json.status_counts.SUCCEEDED === succeeded);
}

// As dynoxide 1.2.1 asks.
test.each([
  [
    'reading',
    'SELECT event_name FROM _stream_records WHERE table_name = ?1 AND shard_id = ?2 AND CAST(sequence_number AS INTEGER) > ?3 ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT ?4',
  ],
  [
    'numbering',
    'SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?1',
  ],
])('%s the records of the stream scans and sorts none', (_name, query) => {
  const plan = ask(`EXPLAIN QUERY PLAN ${query}`).map(({ detail }) => String(detail));
  expect(plan).toEqual([expect.stringMatching(/^SEARCH _stream_records USING (COVERING )?INDEX/)]);
});

test('counted records are deleted while the service runs, and its counts stay correct', async () => {
  await runJobs(3);
  await countsAre(3);
  const before = newest();
  await waitFor(() => recordCount() <= 3);
  await runJobs(2);
  await countsAre(5);
  expect(newest()).toBeGreaterThan(before);
  await waitFor(() => recordCount() <= 3);
});
