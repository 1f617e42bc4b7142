import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { createJob } from '../../../../lib/jobs/creation/create-job.ts';
import { jobIdOf } from '../../../../lib/jobs/lifecycle/cause.ts';
import { resendStaleMessages } from '../../../../lib/reconciler/reconcile-jobs.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

const BODY = { prompt: 'echo hi', profile: 'codex' };

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
  const id = jobIdOf({ kind: 'client', key: 'kept' }, 'token:test');
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
