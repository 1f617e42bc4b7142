import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { describeAsRoot, newFirstUid, UNDER_WORKER_RIGHTS } from '../../worker-container/service-accounts/as-root.ts';
import { shareCodex } from '../../worker-container/service-accounts/shared-codex.ts';
import { createJob, untilEnded } from '../job-client.ts';

describeAsRoot('sessions of jobs under the accounts of slots', () => {
  let service: OwnService;
  let codex: Awaited<ReturnType<typeof shareCodex>>;
  beforeAll(async () => {
    codex = await shareCodex();
    service = await startService({
      env: {
        PROMPTQ_SLOT_UID: String(newFirstUid()),
        PROMPTQ_CONCURRENCY: '2',
        PROMPTQ_CODEX_BIN: codex.path,
        PROMPTQ_WATCH_SECONDS: '2',
        PROMPTQ_ACCOUNT_PROBE_SECONDS: '1',
      },
      under: UNDER_WORKER_RIGHTS,
    });
    // A home is private to its user; a container's folders are not.
    await chmod(service.home, 0o711);
  });
  afterAll(async () => {
    expect(await service.stop()).toBe(0);
    await codex.remove();
  });

  const sessions = '$PROMPTQ_ATTACHMENTS/../agent/codex-home/sessions';
  const jobOf = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;

  async function setLoggedIn(logged_in: boolean): Promise<void> {
    const { practice_url, practice_key } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
    const headers = { authorization: `Bearer ${practice_key}` };
    const body = JSON.stringify({ logged_in });
    expect((await fetch(new URL('/practice/state', practice_url), { method: 'PUT', headers, body })).status).toBe(200);
  }

  test('a session is saved, and continued by the account of the next slot', async () => {
    const id = await createJob(service, {
      prompt: 'drill: tool sleep 3; id -u >$PROMPTQ_ATTACHMENTS/uid\ndrill: recall',
    });
    await waitFor(async () => (await jobOf(id)).status === 'RUNNING');
    await waitFor(async () =>
      (await service.api('GET', `/jobs/${id}/logs?stream=stdout`)).json.stdout.includes('id -u'),
    );
    await setLoggedIn(false);
    await waitFor(async () => (await jobOf(id)).state_reason.code === 'account_required');
    expect((await service.api('GET', `/jobs/${id}/session?attempt=1`)).text).toContain('id -u');
    await setLoggedIn(true);
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    const job = await jobOf(id);
    expect(job).toMatchObject({ warnings: [] });
    expect(job.attempts[0].resumed_from).toBeGreaterThanOrEqual(1);
    const { items } = (await service.api('GET', `/jobs/${id}/attachments`)).json;
    expect(items).toMatchObject([{ path: 'uid', attempt: job.attempt }]);
    const { final_message } = (await service.api('GET', `/jobs/${id}/result`)).json;
    expect(final_message).toContain(
      'drill: tool sleep 3; id -u >$PROMPTQ_ATTACHMENTS/uid drill: recall\nYour work on the task above',
    );
  });

  // A FIFO stops codex, which opens the file again: the test of the reader has one.
  test.for([
    { what: 'a link', plant: 'ln -s /etc/passwd $f' },
    { what: 'a file with holes', plant: 'truncate -s 3000000 $f' },
  ])('$what in the place of a session is not read', async ({ plant }) => {
    const prompt = `drill: tool f=$(find ${sessions} -name '*.jsonl'); rm $f && ${plant} && echo planted`;
    const id = await createJob(service, { prompt });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await service.api('GET', `/jobs/${id}/result`)).json.final_message).toContain('planted');
    expect((await jobOf(id)).warnings).toEqual([expect.stringMatching(/^session: not saved completely: /)]);
    expect((await service.api('GET', `/jobs/${id}/session`)).status).toBe(404);
  });
});
