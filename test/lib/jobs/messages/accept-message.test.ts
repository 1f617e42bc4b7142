import { expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { acceptMessage } from '../../../../lib/jobs/messages/accept-message.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

async function accepting(more: Partial<Job> = {}) {
  const deployment = quietDeployment();
  const job = await deployment.store(aJob({ agent: 'codex', ...more }));
  const { messages } = deployment.texts;
  const send = async (text: string, key?: string) => {
    const known = (await deployment.read(job)) ?? job;
    const request = { text, ...(key !== undefined && { idempotency_key: key }) };
    return await acceptMessage({ ...deployment, messages }, known, request, 'token:test');
  };
  return { deployment, job, send };
}

it('a job takes a hundred messages, in their order, and no further one', async () => {
  const { deployment, job, send } = await accepting();
  const ids: string[] = [];
  for (let n = 1; n <= 100; n += 1) ids.push((await send(`message ${n}`)).id);
  await expect(send('one more')).rejects.toMatchObject({
    code: 'invalid_state',
    details: { state: 'QUEUED', action: 'message' },
    message: expect.stringContaining(`at most ${LIMITS.messages.perJob} messages`),
  });
  expect((await deployment.texts.messages.list(job.id)).map(({ id }) => id)).toEqual(ids);
  expect(await deployment.read(job)).toMatchObject({ messages: 100 });
});

it('a repeated request with its key is answered after the end of the job too, and adds nothing', async () => {
  const { deployment, job, send } = await accepting();
  const sent = await send('count to three', 'key');
  await transition(deployment, (await deployment.read(job)) ?? job, { type: 'cancel' });
  expect(await send('count to three', 'key')).toMatchObject({ id: sent.id, replayed: true });
  await expect(send('and to four', 'other')).rejects.toMatchObject({ details: { use: 'continue' } });
  expect(await deployment.texts.messages.list(job.id)).toHaveLength(1);
});
