import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Spool } from '../../../worker-container/output/spool.ts';

it('only the worker can read the file in which output waits: it is not masked yet, and its folder can be passed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const spool = new Spool(join(folder, 'stdout'));
  await spool.append(Buffer.from('a secret'));
  expect((await stat(spool.path)).mode & 0o777).toBe(0o600);
  await spool.remove();
  await rm(folder, { recursive: true });
});

it('a stream without output has no file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const spool = new Spool(join(folder, 'stderr'));
  await spool.append(Buffer.alloc(0));
  expect(await readdir(folder)).toEqual([]);
  expect(await spool.slice(0, 0)).toHaveLength(0);
  await expect(spool.slice(0, 1)).rejects.toThrow('is empty');
  await spool.remove();
  await rm(folder, { recursive: true });
});

it('a spool says how much of it is missing, and is closed and deleted when it is removed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const spool = new Spool(join(folder, 'stdout'));
  await spool.append(Buffer.from('12345678'));
  expect(spool.bytes).toBe(8);
  expect((await spool.slice(2, 8)).toString()).toBe('345678');
  await expect(spool.slice(2, 9)).rejects.toThrow('ends at byte 8, expected 9');
  await spool.remove();
  expect(await readdir(folder)).toEqual([]);
  await expect(spool.slice(0, 8)).rejects.toThrow('closed');
  await rm(folder, { recursive: true });
});
