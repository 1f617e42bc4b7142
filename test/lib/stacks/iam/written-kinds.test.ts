import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WRITTEN_KINDS } from '../../../../lib/platform/aws/tables.ts';
import { ROOT } from '../synthesis.ts';

/** The kinds of the registry's items that modules of jobs store: `hold`, or with a job's id `message#`. */
function storedKinds(): string[] {
  return globSync('lib/jobs/**/*.ts', { cwd: ROOT }).flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    if (!source.includes('registryTable')) return [];
    return [...source.matchAll(/const KIND = '([\w-]+#?)'|return `([\w-]+#)\$\{/g)].map(([, a, b]) => a ?? b ?? '');
  });
}

// A kind that is missing here works in every local run, and is refused on AWS.
test.each(['worker', 'reconciler'] as const)('the %s may write every kind of item that belongs to jobs', (role) => {
  const kinds = storedKinds();
  expect(kinds).toEqual(expect.arrayContaining(['hold', 'message#', 'forks#', 'thread#']));
  const allowed = WRITTEN_KINDS[role].map((pattern) => pattern.replace(/\*$/, ''));
  expect(kinds.filter((kind) => !allowed.some((one) => one.startsWith(kind) || kind === one))).toEqual([]);
});

test("every kind of item stored under a job's id is deleted with the job", () => {
  const ofOneJob = storedKinds().filter((kind) => kind.endsWith('#'));
  const removed: readonly string[] = WRITTEN_KINDS.sweeper;
  expect(ofOneJob.filter((kind) => !removed.includes(`${kind}*`))).toEqual([]);
});
