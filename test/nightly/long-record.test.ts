import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import { type OwnService, startService } from '../local-run/local-service.ts';

/** A record of a thread that is too long. On each commit `test/worker-container/prompt` tries it without an agent. */
let service: OwnService;
beforeAll(async () => {
  service = await startService();
  const profiles = [{ name: 'forgetful', agent: 'codex', vendor: 'practice', resume: 'never' }];
  expect((await service.api('POST', '/config/import', { profiles })).status).toBe(200);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const jobOf = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;
const next = async (id: string, prompt: string) => await createJob(service, { prompt, continue: id });

test('the agent gets as much of the record as fits beside its prompt, and the job says what is left out', async () => {
  const first = await createJob(service, { prompt: `the first prompt ${'x'.repeat(2_000)}`, profile: 'forgetful' });
  await untilEnded(service, first);
  const second = await next(first, `the second prompt ${'x'.repeat(2_000)}`);
  await untilEnded(service, second);
  const asked = 'drill: recall\n';
  const third = await next(second, `${asked}${'y'.repeat(1_048_576 - 2_500 - asked.length)}`);
  expect(await untilEnded(service, third)).toMatchObject({ status: 'SUCCEEDED' });
  const answer = (await service.api('GET', `/jobs/${third}/result`)).json.final_message;
  // Its million characters would be printed.
  expect(['first', 'second'].map((turn) => answer.includes(`the ${turn} prompt`))).toEqual([false, true]);
  expect((await jobOf(third)).warnings).toEqual([
    'session: the agent got a shortened record of the thread: 1 of 2 turns left out (the oldest), long texts cut in 1 turn',
  ]);
  const full = await next(second, 'y'.repeat(1_048_576));
  expect(await untilEnded(service, full)).toMatchObject({ status: 'FAILED', state_reason: { code: 'session_lost' } });
  expect(await jobOf(full)).toMatchObject({
    error: 'the prompt and the rules leave no room for the record of the thread',
    usage: null,
  });
});
