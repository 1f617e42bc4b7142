import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it } from 'vitest';
import { createJob } from '../../../../lib/jobs/creation/create-job.ts';
import { readAhead } from '../../../../lib/jobs/creation/read-ahead.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

let deployment: QuietDeployment;
beforeEach(async () => {
  deployment = quietDeployment();
  await deployment.profiles.put({ name: 'other', agent: 'shell' });
  await deployment.rules.put({ id: 'brief', name: 'Brief', text: 'Be brief.' });
  await deployment.projects.create('web');
  deployment.calls.length = 0;
});
const batches = () => deployment.calls.filter((call) => call instanceof BatchGetCommand).length;

it('reads what a request names, or its defaults, as the creation would', async () => {
  const named = { prompt: 'a', profile: 'other', rule_ids: ['brief'], project: 'web' };
  expect(await readAhead(deployment, named)).toMatchObject({
    profile: { name: 'other' },
    rules: [{ id: 'brief' }],
    project: { name: 'web' },
  });
  expect(await readAhead(deployment, { prompt: 'a', project_id: 'web' })).toMatchObject({
    profile: { name: deployment.defaultProfile },
    rules: [],
    project: { name: 'web' },
  });
});

it('a creation reads nothing of that once more, and rejects what is unknown in it', async () => {
  const request = { prompt: 'a', project: 'web' };
  const { id } = await createJob(deployment, request, 'token:ci', {}, readAhead(deployment, request));
  expect(batches()).toBe(1);
  expect(await deployment.jobs.find(id)).toMatchObject({ status: 'QUEUED', project: 'web' });
  const unknown = { prompt: 'a', profile: 'none' };
  await expect(createJob(deployment, unknown, 'token:ci', {}, readAhead(deployment, unknown))).rejects.toThrow(
    'there is no profile of this name',
  );
});

it.each([{ idempotency_key: 'k' }, { continue: 'job_1' }, { fork: 'job_1' }])(
  'reads nothing for a request that may need another job first: %o',
  async (more) => {
    expect(await readAhead(deployment, { prompt: 'a', ...more })).toBeUndefined();
    expect(deployment.calls).toEqual([]);
  },
);

it('a creation with an idempotency key reads the catalog once its key turned out to be new', async () => {
  const request = { prompt: 'a', project: 'web', idempotency_key: 'k' };
  const first = await createJob(deployment, request, 'token:ci', {}, readAhead(deployment, request));
  expect([first.replayed, batches()]).toEqual([false, 1]);
  const second = await createJob(deployment, request, 'token:ci', {}, readAhead(deployment, request));
  expect([second, batches()]).toEqual([{ id: first.id, replayed: true, differs: [] }, 1]);
});
