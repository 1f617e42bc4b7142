import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readFileIndex } from '../../../lib/jobs/output/files/kept-files.ts';
import { keepFiles } from '../../../worker-container/files/keep-files.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

const LIMITS = { count: 6, fileBytes: 10, totalBytes: 20, pathBytes: 30, depth: 2, scanned: 50, seconds: 60 };
let deployment: EmulatedDeployment;
let folder: string;
let attempt = 0;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));
const write = async (path: string, bytes: number) => await writeFile(join(folder, path), Buffer.alloc(bytes, 'x'));

/** Keeps the files of the folder. @returns the reasons by path, and what is not listed; undefined: nothing is stored */
async function keep() {
  attempt += 1;
  const at = { s3: deployment.objects, bucket: deployment.env.OUTPUT_BUCKET, jobId: 'job', attempt };
  await keepFiles({
    ...{ ...at, folder, account: undefined, selection: 'folder', redaction: new Redaction(), limits: LIMITS },
    ...{ signal: new AbortController().signal, onFailure: () => undefined },
  });
  const index = await readFileIndex(at);
  if (index === undefined) return undefined;
  const reasons = Object.fromEntries(index.files.map(({ path, reason }) => [path, reason]));
  return { reasons, not_listed: index.not_listed };
}

test('an empty folder, and one that its job has removed, are not stored', async () => {
  expect(await keep()).toBeUndefined();
  await rm(folder, { recursive: true });
  expect(await keep()).toBeUndefined();
});

test('what passes a limit of size, of all sizes or of depth is listed with the reason', async () => {
  await mkdir(join(folder, 'a/b'), { recursive: true });
  for (const name of ['1', '2']) await write(name, 10);
  await write('3', 1);
  await write('large', 11);
  await write('a/b/deep', 1);
  expect(await keep()).toMatchObject({
    reasons: { '1': undefined, '2': undefined, '3': 'total', large: 'size', 'a/b': 'depth' },
    not_listed: [],
  });
});

test('a folder of many entries is listed in part, and read in part', async () => {
  for (let name = 0; name < 10; name += 1) await write(String(name), 1);
  expect((await keep())?.not_listed).toEqual([{ reason: 'count', count: 4 }]);
  for (let name = 0; name < 100; name += 1) await write(String(name), 1);
  const { reasons = {}, not_listed } = (await keep()) ?? {};
  expect([Object.keys(reasons).length, not_listed]).toEqual([
    6,
    [
      { reason: 'count', count: 44 },
      { reason: 'time', count: 1 },
    ],
  ]);
});
