import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Spool } from '../../../worker-container/output/output-intake.ts';

it('only the worker can read the file in which output waits: it is not masked yet, and its folder can be passed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const spool = new Spool(join(folder, 'stdout'));
  await spool.append(Buffer.from('a secret'));
  expect((await stat(spool.path)).mode & 0o777).toBe(0o600);
  await spool.remove();
  await rm(folder, { recursive: true });
});
