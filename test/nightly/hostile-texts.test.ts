import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateToken } from '../../lib/access/tokens/api-tokens.ts';
import { isTerminal } from '../../lib/contract/statuses.ts';
import { createJob } from '../api/job-client.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';

const BESIDE = 16;

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_CONCURRENCY: String(BESIDE + 2) } });
});
afterAll(async () => await service.stop());

/** Combining marks in the order that takes longest to normalize. */
const marks = (bytes: number) => `a${'\u0301'.repeat(bytes / 4)}${'\u0316'.repeat(bytes / 4)}`;
/** A script that prints a follow-up block with a title of them. */
const block = (bytes: number) =>
  `perl -CS -e 'print "\`\`\`follow-up-job\\n{\\"prompt\\":\\"x\\",\\"title\\":\\"", "\\x{301}" x ${bytes / 4}, "\\x{316}" x ${bytes / 4}, "\\"}\\n\`\`\`\\n"'`;

const jobOf = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;
const untilRunning = async (id: string) =>
  await waitFor(async () => (await jobOf(id)).status === 'RUNNING' || undefined);
const untilEnded = async (id: string) =>
  await waitFor(async () => {
    const job = await jobOf(id);
    return isTerminal(job.status) ? job : undefined;
  });

it('while each door gets its worst text, 16 other jobs keep their worker', async () => {
  const prompt = 'until [ -e go ]; do sleep 0.2; done';
  const beside = await Promise.all(
    Array.from({ length: BESIDE }, () => createJob(service, { profile: 'shell', prompt, cwd: 'beside' })),
  );
  for (const id of beside) await untilRunning(id);
  const printed = [block(860_000), block(2_500_000), 'yes "" | head -c 3000000', 'yes "{x}" | head -c 1000000'];
  const printing = await createJob(service, { profile: 'shell', prompt: printed.join('\n') });
  const asked = JSON.stringify({ prompt: 'x', title: marks(80_000) });
  const asking = await createJob(service, { profile: 'practice', prompt: `drill: use create_job ${asked}` });
  const post = async (bytes: number, headers?: Record<string, string>) =>
    (await service.api('POST', '/jobs', { prompt: 'x', title: marks(bytes) }, headers)).status;
  const stranger = async () => await post(60_000, { authorization: `Bearer ${generateToken()}` });
  expect(await Promise.all([post(1_900_000), ...Array.from({ length: 10 }, stranger)])).toEqual([
    400,
    ...Array(10).fill(401),
  ]);
  expect((await untilEnded(printing)).warnings).toEqual([
    expect.stringMatching(/^follow-up 1: body\.title: received .*; expected a length of at most 120$/),
    expect.stringMatching(/^follow-up 2: body\.title: received .*; expected a length of at most 120$/),
  ]);
  expect(await untilEnded(asking)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  await createJob(service, { profile: 'shell', prompt: 'touch go', cwd: 'beside' });
  for (const id of beside) expect(await untilEnded(id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
});
