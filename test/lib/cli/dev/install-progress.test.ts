import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { reportProgress } from '../../../../lib/cli/dev/install-progress.ts';

vi.mock('node:timers/promises', () => ({ setTimeout: vi.fn() }));

/** What is reported of a folder that has so many megabytes at each look, until it is to end. */
async function reportsAt(megabytes: readonly number[], onReport: (stop: AbortController) => void = () => undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-progress-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules/a'), { recursive: true });
  const [one, two] = [join(folder, 'one'), join(folder, 'node_modules/a/two')];
  const grow = async (size: number) => {
    for (const [file, part] of [
      [one, 1],
      [two, size - 1],
    ] as const) {
      await writeFile(file, '');
      await truncate(file, part * 1_000_000);
    }
  };
  const left = [...megabytes];
  const next = async () => {
    const size = left.shift();
    if (size === undefined) stop.abort();
    else await grow(size);
  };
  const stop = new AbortController();
  vi.mocked(sleep).mockReset().mockImplementation(next);
  await next();
  const reports: string[] = [];
  await reportProgress(
    folder,
    async (text) => {
      reports.push(text);
      onReport(stop);
    },
    stop.signal,
  );
  return { reports, pauses: vi.mocked(sleep).mock.calls.map(([milliseconds]) => milliseconds) };
}

it('an installation reports how far it is, at each further tenth', async () => {
  const { reports, pauses } = await reportsAt([64, 65, 129, 131, 140, 195, 196]);
  expect(reports).toEqual([65, 131, 196].map((size) => `installed ${size} of about 650 MB`));
  expect(pauses).toEqual(Array.from({ length: 7 }, () => 5_000));
});

it('an installation that has ended reports nothing more, nor does one whose folder is gone', async () => {
  expect((await reportsAt([65, 650], (stop) => stop.abort())).reports).toEqual(['installed 65 of about 650 MB']);
  const over = vi.fn(async () => undefined);
  await reportProgress('/nowhere', over, AbortSignal.abort());
  const stop = new AbortController();
  vi.mocked(sleep)
    .mockReset()
    .mockImplementation(async () => stop.abort());
  await reportProgress('/nowhere/at/all', over, stop.signal);
  expect(over).not.toHaveBeenCalled();
  const folder = await mkdtemp(join(tmpdir(), 'promptq-progress-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  await writeFile(join(folder, 'one'), '');
  await truncate(join(folder, 'one'), 650_000_000);
  const ending = new AbortController();
  const measuring = reportProgress(folder, over, ending.signal);
  ending.abort();
  await measuring;
  expect(over).not.toHaveBeenCalled();
});
