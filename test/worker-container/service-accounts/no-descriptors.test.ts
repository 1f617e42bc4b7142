import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('without-descriptors.ts', import.meta.url));

test('a worker without a free descriptor fails to start processes, and ends neither itself nor others', async () => {
  // In a separate group: a signal to what was not started would reach all of it.
  const worker = spawn('prlimit', ['--nofile=128', process.execPath, PROGRAM], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void worker.kill('SIGKILL'));
  const [output, ended] = await Promise.all([text(worker.stdout), once(worker, 'close')]);
  const [reader, copier, ...under] = output.trimEnd().split('\n');
  expect([reader, copier]).toEqual(['spawn /usr/bin/perl EMFILE', 'spawn /usr/bin/perl EMFILE']);
  expect(under).toEqual(['spawn /usr/bin/setpriv EMFILE', 'spawn /usr/bin/setpriv EMFILE']);
  expect(ended).toEqual([0, null]);
});
