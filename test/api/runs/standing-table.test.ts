import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startService, waitFor } from '../../local-service.ts';

/** The process of the emulator that works on a home. */
async function emulatorOf(home: string): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [program, ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (program?.endsWith('/dynoxide') && args.includes(join(home, 'dynamodb', 'ddb.sqlite'))) return Number(pid);
  }
  throw new Error('no emulator runs');
}

/** Stops a process. Its threads may answer until each has noticed the signal. */
async function pause(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await waitFor(async () => {
    const threads = await readdir(`/proc/${pid}/task`);
    const stats = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/stat`, 'utf8')));
    // The name of a thread, in parentheses, comes before its state.
    return stats.every((stat) => stat.slice(stat.lastIndexOf(')') + 2).startsWith('T'));
  });
}

test('while the table is paused, requests end in time with a documented 503 that names it, and work again afterwards', async () => {
  const service = await startService();
  const emulator = await emulatorOf(service.home);
  await pause(emulator);
  const answers = await Promise.all([
    service.api('GET', '/jobs'),
    service.api('GET', '/health'),
    service.api('POST', '/jobs', { prompt: 'true', profile: 'shell', draft: true }),
  ]).finally(() => process.kill(emulator, 'SIGCONT'));
  for (const { status, json, headers } of answers) {
    const refusal = { error: 'unavailable', details: { failed: ['table'] }, request_id: expect.any(String) };
    expect([status, json, headers.get('retry-after')]).toEqual([503, refusal, '5']);
  }
  expect((await service.api('GET', '/jobs')).status).toBe(200);
  await service.stop({ keepHome: false });
});
