import { expect, it } from 'vitest';
import { mostConnections, openFilesLimit, tooFewFiles } from '../../../../lib/local/emulators/open-files.ts';

it('fewer than 1,024 open files are too few, and the message says how many there are', () => {
  expect([tooFewFiles(undefined), tooFewFiles(1_024)]).toEqual([undefined, undefined]);
  expect(tooFewFiles(1_023)?.message).toMatch(/\b1023 files\b/);
});

it('each client takes three files of those that the service does not need itself, and eight are always admitted', () => {
  expect([undefined, 1_024, 121, 120, 0].map(mostConnections)).toEqual([Number.POSITIVE_INFINITY, 309, 8, 8, 8]);
});

it.runIf(process.platform === 'linux')(
  'the limit of a process is read, and none where there is no process',
  async () => {
    expect(await openFilesLimit('self')).toBe(await openFilesLimit(process.pid));
    expect(await openFilesLimit('self')).toBeGreaterThan(0);
    expect(await openFilesLimit(2 ** 31 - 1)).toBeUndefined();
  },
);
