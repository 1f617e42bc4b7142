import { readdir } from 'node:fs/promises';
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
