import { loadavg, tmpdir, totalmem } from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import { describeMachine } from '../../../worker-container/pool/registration.ts';

afterEach(() => void vi.restoreAllMocks());

it('a machine is described by its load in hundredths, and by the memory and disk that this process may use', async () => {
  const before = loadavg()[0] ?? 0;
  const { load_1m: load, memory, storage } = await describeMachine(tmpdir());
  const after = loadavg()[0] ?? 0;
  expect(load).toBeGreaterThanOrEqual(Math.min(before, after) - 0.005);
  expect(load).toBeLessThanOrEqual(Math.max(before, after) + 0.005);
  expect(memory.total_bytes).toBeLessThanOrEqual(totalmem());
  for (const { total_bytes: total, free_bytes: free } of [memory, storage ?? memory]) {
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThanOrEqual(total);
  }
  expect(storage).toBeDefined();
});

it('a folder that is missing leaves out the disk, and ends nothing', async () => {
  expect(await describeMachine('/no/such/folder')).not.toHaveProperty('storage');
});
