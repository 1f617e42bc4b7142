import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkDatabase } from '../../../../../lib/local/emulators/dynamodb-emulator.ts';
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

test('a used home without its tables is refused, and a new one is not', async () => {
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
