import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SeenRecord } from './seen-record.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'promptq-record-'));
  for (const file of ['a.ts', 'b.ts']) writeFileSync(join(root, file), `// ${file}`);
});
afterEach(() => rmSync(root, { recursive: true }));

const mutant = (file: string, name: string) => ({ name: `${file} ${name}`, file, find: 'x', replace: 'y' });
const FIRST = mutant('a.ts', 'first');
const SECOND = mutant('a.ts', 'second');
const OTHER = mutant('b.ts', 'other');
const record = () => new SeenRecord(root, 'seen.jsonl');

it('mutants that were seen stay so in later runs, those that were not are tried again', () => {
  const made = record();
  made.add([
    { mutant: FIRST, by: 'simulator' },
    { mutant: SECOND, by: 'nobody' },
    { mutant: OTHER, by: undefined },
  ]);
  const seen = [FIRST, SECOND, OTHER].map((one) => record().seenBy(one));
  expect([seen, made.seenBy(FIRST)]).toEqual([['simulator', undefined, undefined], 'simulator']);
});

it('a run of some files, or some mutants, adds to what others have seen', () => {
  record().add([{ mutant: FIRST, by: 'simulator' }]);
  record().add([{ mutant: SECOND, by: 'test' }]);
  record().add([{ mutant: OTHER, by: 'test' }]);
  record().add([{ mutant: FIRST, by: 'test' }]);
  expect([FIRST, SECOND, OTHER].map((one) => record().seenBy(one))).toEqual(['simulator', 'test', 'test']);
  expect(readFileSync(join(root, 'seen.jsonl'), 'utf8').match(/"[a-f0-9]{8}"/g)).toHaveLength(3);
});

it('nothing is known of a file that has changed, and its line is removed with the next run', () => {
  record().add([
    { mutant: FIRST, by: 'test' },
    { mutant: OTHER, by: 'test' },
  ]);
  writeFileSync(join(root, 'a.ts'), '// changed');
  expect([FIRST, OTHER].map((one) => record().seenBy(one))).toEqual([undefined, 'test']);
  record().add([]);
  expect(readFileSync(join(root, 'seen.jsonl'), 'utf8')).not.toContain('a.ts');
  rmSync(join(root, 'b.ts'));
  expect(record().seenBy(OTHER)).toBeUndefined();
});
