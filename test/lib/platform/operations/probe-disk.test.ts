import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DiskFullError, isDiskFull, probeDisk } from '../../../../lib/platform/operations/probe-disk.ts';
import { describeOnSmallDisk, mountSmallDisk } from '../../../stand-ins/small-disk.ts';

it('an error reports a full disk if it or a cause of it has such a code', () => {
  const coded = (code: string, cause?: unknown) => Object.assign(new Error('no', { cause }), { code });
  for (const code of ['ENOSPC', 'EDQUOT']) {
    expect(isDiskFull(coded(code))).toBe(true);
    expect(isDiskFull(new Error('outer', { cause: new Error('inner', { cause: coded(code) }) }))).toBe(true);
  }
  for (const other of [coded('EACCES'), new Error('ENOSPC'), 'ENOSPC', undefined, { code: 'ENOSPC' }])
    expect(isDiskFull(other)).toBe(false);
});

it('a disk with room is probed without a trace, and a folder that is not there is no error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await probeDisk(folder, 'the database');
  expect(await readdir(folder)).toEqual([]);
  await probeDisk(join(folder, 'none'), 'the database');
  await writeFile(join(folder, 'file'), '');
  await expect(probeDisk(join(folder, 'file'), 'the database')).rejects.toThrow('ENOTDIR');
});

it('a full disk is named', () => {
  const error = new DiskFullError('the database', 'cause');
  expect([error.message, error.cause]).toEqual(['The disk of the database is full: make room on it.', 'cause']);
});

describeOnSmallDisk('a disk', () => {
  it('that is full is an error that names it, and one with room for the probe is none', async () => {
    const disk = mountSmallDisk(1);
    onTestFinished(() => disk.remove());
    disk.fill(300 * 1024);
    await probeDisk(disk.folder, 'the queue');
    disk.makeRoom();
    disk.fill(200 * 1024);
    await expect(probeDisk(disk.folder, 'the queue')).rejects.toThrow(DiskFullError);
    expect(await readdir(disk.folder)).toEqual(['filler']);
  });
});
