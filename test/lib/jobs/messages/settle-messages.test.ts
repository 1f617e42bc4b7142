import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { jobIdOf } from '../../../../lib/jobs/lifecycle/cause.ts';
import { acceptMessage } from '../../../../lib/jobs/messages/accept-message.ts';
import { messageText } from '../../../../lib/jobs/messages/message-id.ts';
import { settleMessages } from '../../../../lib/jobs/messages/settle-messages.ts';
import { sessionAboutKey, sessionPartKey } from '../../../../lib/jobs/output/output-keys.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aReceipt, aRunningJob } from '../a-job.ts';
import { due } from '../due-effects.ts';

const RECORD = {
  ...{ version: 1, agent: 'codex', vendor: 'practice', session_id: 'one', path: 'rollout.jsonl', cwd: '/work' },
  ...{ worker_id: 'worker-1', billed_bytes: 0 },
};

/** Two messages that a lost attempt without a receipt was given. Its session has the first. */
async function afterLoss() {
  const deployment = quietDeployment();
  await deployment.profiles.put({ name: 'practice', agent: 'codex', vendor: 'practice' });
  const job = await deployment.store(aRunningJob({ agent: 'codex', texts: 'none' }));
  const { messages } = deployment.texts;
  const send = async (text: string) => {
    const known = (await deployment.read(job)) ?? job;
    const { id } = await acceptMessage({ ...deployment, messages }, known, { text }, 'token:test');
    const row = await messages.get(job.id, id);
    if (row === undefined) throw new Error('the message is not there');
    await messages.change(job.id, row, { state: 'sent', attempt: job.attempt });
    return row;
  };
  const [saved, unsaved] = [await send('count to three'), await send('count to four')];
  const put = async (Key: string, Body: string) =>
    await deployment.objects.send(new PutObjectCommand({ Bucket: deployment.env.OUTPUT_BUCKET, Key, Body }));
  await put(sessionAboutKey(job.id, 1, 0), JSON.stringify(RECORD));
  await put(sessionPartKey(job.id, 1, 0, 0), `${JSON.stringify({ text: messageText(saved) })}\n`);
  return { deployment, job, saved, unsaved };
}

it.each(['FAILED', 'CANCELLED'] as const)(
  'a lost attempt of a %s job has got what its session holds',
  async (status) => {
    const { deployment, job, saved, unsaved } = await afterLoss();
    const known = (await deployment.read(job)) ?? job;
    const { lease_until: _lease, ...rest } = known;
    const ended = { ...rest, status, effects: due({ messages: 'end' }), finished_at: known.updated_at } as const;
    const { applied } = await deployment.jobs.apply(known, ended);
    expect(applied).toBe(true);
    await settleMessages(deployment, (await deployment.read(job)) ?? job);
    const rows = await deployment.texts.messages.list(job.id);
    expect(rows).toMatchObject([
      { id: saved.id, state: 'delivered' },
      { id: unsaved.id, state: 'not_delivered' },
    ]);
    const turns = await Promise.all(
      [saved, unsaved].map(({ id }) => deployment.jobs.find(jobIdOf({ kind: 'message', job: job.id, message: id }))),
    );
    expect(turns.map((turn) => turn !== undefined)).toEqual([false, status === 'FAILED']);
  },
);

it('a message to a job that was then changed to run a script is not run by a shell', async () => {
  const deployment = quietDeployment();
  await deployment.profiles.put({ name: 'bash', agent: 'shell' });
  const job = await deployment.store(aJob({ agent: 'codex' }));
  const { messages } = deployment.texts;
  await acceptMessage({ ...deployment, messages }, job, { text: 'rm -r the old build folder' }, 'token:test');
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: job.id });
  for (const event of [
    { type: 'edit', changes: { profile: 'bash', agent: 'shell' } },
    { type: 'claim', workerId: 'worker-1' },
    { type: 'end', receipt },
  ] as const) {
    const done = await transition(deployment, (await deployment.read(job)) ?? job, event);
    expect(done).toMatchObject({ done: true });
  }
  await settleMessages(deployment, (await deployment.read(job)) ?? job);
  const [row] = await messages.list(job.id);
  expect(row).toMatchObject({ state: 'not_delivered', reason: expect.stringContaining('script') });
  expect(await deployment.jobs.find(jobIdOf({ kind: 'message', job: job.id, message: row?.id ?? '' }))).toBeUndefined();
});
