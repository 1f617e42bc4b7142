import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkDatabase } from '../../../../../lib/local/emulators/dynamodb/check-database.ts';
import { indexStreamRecords, trimStreamRecords } from '../../../../../lib/local/emulators/dynamodb/stream-records.ts';
import { HomeError } from '../../../../../lib/local/run/home-error.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  file = join(folder, 'ddb.sqlite');
});
afterEach(async () => await rm(folder, { recursive: true }));

function run(...statements: readonly string[]): void {
  using database = new DatabaseSync(file);
  for (const statement of statements) database.exec(statement);
}
function ask(query: string): unknown[] {
  using database = new DatabaseSync(file);
  return database
    .prepare(query)
    .all()
    .flatMap((row) => Object.values(row));
}

test('a home that was used must have its tables, and a new one need not', async () => {
  const check = (isUsed: boolean) => checkDatabase({ file, isUsed });
  check(false);
  expect(() => check(true)).toThrow(/ddb\.sqlite is missing, but this home has been in use.+Restore the file/);
  expect(existsSync(file)).toBe(false);
  run('CREATE TABLE other (id)');
  check(false);
  expect(() => check(true)).toThrow(/ddb\.sqlite is empty, but/);
  run('CREATE TABLE _tables (name)');
  expect(() => check(true)).toThrow(HomeError);
  run("INSERT INTO _tables VALUES ('Jobs')");
  check(true);
  await writeFile(file, 'garbage '.repeat(1_000));
  for (const isUsed of [true, false]) expect(() => check(isUsed)).toThrow(/ddb\.sqlite can't be read: .+Restore it/);
});

test('the records of streams are indexed where there are some', () => {
  const indexes = () => ask("SELECT name FROM sqlite_schema WHERE type = 'index'");
  indexStreamRecords(file);
  expect(existsSync(file)).toBe(false);
  run('CREATE TABLE other (id)');
  indexStreamRecords(file);
  expect(indexes()).toEqual([]);
  run('CREATE TABLE _stream_records (id INTEGER PRIMARY KEY, table_name, shard_id, sequence_number TEXT)');
  indexStreamRecords(file);
  indexStreamRecords(file);
  expect(indexes()).toEqual(['promptq_stream_position']);
});

test('counted records are deleted, all but the newest, and no others', async () => {
  run('CREATE TABLE _stream_records (id INTEGER PRIMARY KEY, table_name, shard_id, sequence_number TEXT)');
  const add = (table: string, from: number, to: number) => {
    const values = Array.from({ length: to - from + 1 }, (_, at) => `('${table}', 's-1', '${from + at}')`);
    run(`INSERT INTO _stream_records (table_name, shard_id, sequence_number) VALUES ${values.join(', ')}`);
  };
  const shards: string[] = [];
  const trim = async (position: string | undefined) =>
    await trimStreamRecords({
      file,
      table: 'Jobs',
      counted: async (shard) => {
        shards.push(shard);
        return await Promise.resolve(position);
      },
    });
  const left = () => ask("SELECT sequence_number FROM _stream_records WHERE table_name = 'Jobs'");
  expect([await trim('9'), shards]).toEqual([0, []]);
  add('Jobs', 1, 12);
  add('Other', 1, 3);
  expect([await trim(undefined), shards]).toEqual([0, ['s-1']]);
  // Numbers, not texts: 9 comes before 12.
  expect([await trim('9'), left()]).toEqual([8, ['9', '10', '11', '12']]);
  expect([await trim('100'), left()]).toEqual([3, ['12']]);
  // More than are deleted at once.
  add('Jobs', 13, 500);
  expect([await trim('500'), left()]).toEqual([488, ['500']]);
  expect(ask('SELECT COUNT(*) FROM _stream_records')).toEqual([4]);
});
