import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, vi } from 'vitest';
import { createJob } from '../../../../lib/jobs/creation/create-job.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { followUpId, jobIdOfOwnedKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { resendStaleMessages } from '../../../../lib/reconciler/reconcile-jobs.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

const BODY = { prompt: 'echo hi', profile: 'codex' };

it('a new job is stored before its dispatch message is sent', async () => {
  const deployment = quietDeployment();
  const { id } = await createJob(deployment, BODY, 'token:test');
  const writes = deployment.calls.filter((call) => call instanceof PutCommand && call.input.Item?.id === id);
  expect(writes).toHaveLength(1);
  expect(
    deployment.calls.slice(deployment.calls.indexOf(writes[0])).map((call) => (call as object).constructor.name),
  ).toEqual(['PutCommand', 'SendMessageCommand']);
  expect(deployment.sent).toEqual([{ job: id, band: 'normal', seconds: 0 }]);
});

it('a draft, and a creation whose job is stored already, send no dispatch message', async () => {
  const deployment = quietDeployment();
  await createJob(deployment, { ...BODY, draft: true }, 'token:test');
  expect(deployment.sent).toEqual([]);
  const twice = { ...BODY, idempotency_key: 'twice' };
  const [first, second] = [
    await createJob(deployment, twice, 'token:test'),
    await createJob(deployment, twice, 'token:test'),
  ];
  expect(second).toMatchObject({ id: first.id, replayed: true });
  expect(deployment.sent).toHaveLength(1);
});

it('a job whose dispatch message the queue refuses is created, and gets its message from reconcile-jobs', async () => {
  const deployment = quietDeployment();
  const refusing = Object.assign(Object.create(deployment.dispatchQueues) as typeof deployment.dispatchQueues, {
    send: () => Promise.reject(new Error('refused')),
  });
  const { id } = await createJob({ ...deployment, dispatchQueues: refusing }, BODY, 'token:test');
  expect(await deployment.read({ id })).toMatchObject({ status: 'QUEUED' });
  await deployment.pass(61_000);
  await resendStaleMessages(deployment);
  expect(deployment.sent).toEqual([{ job: id, band: 'normal', seconds: 0 }]);
});

it("a job that was claimed by another one's message before its repeated write was answered still sends its own", async () => {
  const deployment = quietDeployment();
  const { create } = deployment.jobs;
  vi.spyOn(deployment.jobs, 'create').mockImplementationOnce(async (job) => {
    await create.call(deployment.jobs, job);
    // The response of this write is lost. A worker with the message of another job finds this one in the index.
    expect(await transition(deployment, job, { type: 'claim', workerId: 'w' })).toMatchObject({ done: true });
    return await create.call(deployment.jobs, job);
  });
  const { id } = await createJob(deployment, BODY, 'token:test');
  // The message of the other job is used up: it starts by this one.
  expect(deployment.sent).toEqual([{ job: id, band: 'normal', seconds: 0 }]);
});

it('uses a profile that was written a moment ago', async () => {
  const deployment = quietDeployment({ lag: 60_000 });
  await deployment.profiles.put({ name: 'new', agent: 'shell' });
  const { id } = await createJob(deployment, { ...BODY, profile: 'new' }, 'token:test');
  expect(await deployment.read({ id })).toMatchObject({ profile: 'new' });
});

it('a repeated key returns the job, although its profile, a rule or the job that it continues is gone', async () => {
  const deployment = quietDeployment();
  await deployment.profiles.put({ name: 'nightly', agent: 'codex' });
  await deployment.rules.put({ id: 'brief', name: 'Brief', text: 'Be brief.' });
  const first = await createJob(deployment, BODY, 'token:test');
  const requests = [
    { prompt: 'echo hi', profile: 'nightly', idempotency_key: 'profile' },
    { ...BODY, rule_ids: ['brief'], idempotency_key: 'rule' },
    { ...BODY, continue: first.id, idempotency_key: 'thread' },
  ];
  const ids: string[] = [];
  for (const request of requests) ids.push((await createJob(deployment, request, 'token:test')).id);
  for (const key of [
    { kind: 'profile', id: 'nightly' },
    { kind: 'rule', id: 'brief' },
  ])
    await deployment.table.send(new DeleteCommand({ TableName: deployment.env.REGISTRY_TABLE, Key: key }));
  await deployment.table.send(new DeleteCommand({ TableName: deployment.env.JOBS_TABLE, Key: { id: first.id } }));
  for (const [n, request] of requests.entries())
    expect(await createJob(deployment, request, 'token:test')).toMatchObject({ id: ids[n], replayed: true });
});

it.each([
  ['current reads', 0],
  ['reads that are behind', 60_000],
])('the key of a job that is being removed can be used once it is gone: %s', async (_, lag) => {
  const deployment = quietDeployment({ lag });
  const request = { ...BODY, idempotency_key: 'kept' };
  const id = jobIdOfOwnedKey('token:test', 'kept');
  await deployment.store({ id, status: 'SUCCEEDED', attempt: 1, removing: true });
  await expect(createJob(deployment, request, 'token:test')).rejects.toMatchObject({
    code: 'unavailable',
    retryAfter: 5,
  });
  expect(deployment.sent).toEqual([]);
  await deployment.jobs.remove(id);
  expect(await createJob(deployment, request, 'token:test')).toMatchObject({ id, replayed: false });
  expect(deployment.sent).toEqual([{ job: id, band: 'normal', seconds: 0 }]);
});

it('a follow-up job that is being removed counts as created: it has ended', async () => {
  const deployment = quietDeployment();
  const { id } = await deployment.store({ id: followUpId('job_1', 1, 0), status: 'SUCCEEDED', removing: true });
  expect(await createJob(deployment, BODY, 'token:test', { id })).toMatchObject({ id, replayed: true });
});
