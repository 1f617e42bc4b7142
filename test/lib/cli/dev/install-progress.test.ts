import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { reportProgress } from '../../../../lib/cli/dev/install-progress.ts';

test('an installation reports how far it is, at each further tenth', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-progress-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  await mkdir(join(folder, 'node_modules/a'), { recursive: true });
  const grow = async (name: string, megabytes: number) => {
    await writeFile(join(folder, 'node_modules/a', name), '');
    await truncate(join(folder, 'node_modules/a', name), megabytes * 1_000_000);
  };
  await grow('one', 60);
  const stop = new AbortController();
  const reports: string[] = [];
  let first: (() => void) | undefined;
  const reported = new Promise<void>((resolve) => {
    first = resolve;
  });
  const reporting = reportProgress(
    folder,
    async (text) => {
      reports.push(text);
      first?.();
    },
    stop.signal,
  );
  await grow('two', 70);
  await reported;
  stop.abort();
  await reporting;
  expect(reports).toEqual(['installed 130 of about 650 MB']);
});
