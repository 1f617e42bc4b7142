import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import { type OwnService, startService } from '../local-run/local-service.ts';

/** A session that is too large in a whole run. On each commit `test/worker-container` tries it on each part. */
let service: OwnService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const jobOf = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;

async function largestObject(): Promise<number> {
  const store = join(service.home, 's3');
  const files = (await readdir(store, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const sizes = files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size);
  return Math.max(...(await Promise.all(sizes)));
}

test('a session that outgrows 64 MiB is not saved further, and the next turn still knows what was said', async () => {
  const sessions = '$PROMPTQ_ATTACHMENTS/../agent/codex-home/sessions';
  const grow = `f=$(find ${sessions} -name '*.jsonl'); head -c 100000000 /dev/zero | tr '\\0' x >>$f; echo >>$f`;
  const first = await createJob(service, { prompt: `the first prompt\ndrill: tool ${grow}; echo grown` });
  expect(await untilEnded(service, first)).toMatchObject({ status: 'SUCCEEDED' });
  const { warnings } = await jobOf(first);
  expect(warnings).toEqual(['session: not saved completely: its file is larger than 64 MiB']);
  expect(await largestObject()).toBeLessThan(64 * 1024 * 1024);
  const second = await createJob(service, { prompt: 'the second prompt\ndrill: recall', continue: first });
  expect(await untilEnded(service, second)).toMatchObject({ status: 'SUCCEEDED' });
  const { final_message } = (await service.api('GET', `/jobs/${second}/result`)).json;
  for (const text of ['the first prompt', 'the second prompt']) expect(final_message).toContain(text);
});
