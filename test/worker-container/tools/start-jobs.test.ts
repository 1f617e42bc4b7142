import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobIdOf } from '../../../lib/jobs/lifecycle/cause.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { createJobTool, jobStatusTool } from '../../../worker-container/tools/attempt-tools.ts';
import { aRunningJob, followUpOf } from '../../lib/jobs/a-job.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
  await deployment.profiles.put({ name: 'practice', agent: 'codex', vendor: 'practice' });
});
afterAll(async () => await deployment.stop());

const signal = new AbortController().signal;

test('a job that an agent starts has no secret of its attempt in any text', async () => {
  const id = jobIdOfKey('masked by create_job');
  const job = await deployment.store(aRunningJob({ id, profile: 'practice', agent: 'codex' }));
  const create = createJobTool(deployment, { job, redaction: new Redaction(['hunter2']) });
  const input = {
    prompt: 'log in with hunter2',
    extra_prompt: 'or hunter2',
    title: 'hunter2',
    tags: ['hunter2'],
    key: 'k',
  };
  const child = jobIdOf({ kind: 'tool', job: id, round: 0, key: 'k' });
  expect(await create.call(input, signal)).toContain(`Created job ${child}.`);
  const stored = await deployment.jobs.get(child, { consistent: true });
  if (stored === undefined) expect.fail('the job is missing');
  expect(stored).toMatchObject({ prompt_preview: 'log in with ***' });
  const texts = await deployment.texts.get(stored);
  expect(texts).toMatchObject({ prompt: 'log in with ***', extra_prompt: 'or ***' });
  expect(JSON.stringify([stored, texts])).not.toContain('hunter2');
});

test('an agent reads the state of no job but those that its job has started', async () => {
  const id = jobIdOfKey('reads states');
  const other = await deployment.store({ id: jobIdOfKey('no child'), ...followUpOf(id) });
  const job = await deployment.store(aRunningJob({ id, profile: 'practice', agent: 'codex' }));
  const child = await deployment.store({ id: jobIdOfKey('a child') });
  await deployment.jobs.apply(job, { ...job, tool_children: [child.id] });
  const status = jobStatusTool(deployment, job);
  expect(JSON.parse(await status.call({ id: child.id }, signal))).toMatchObject({ id: child.id, status: 'QUEUED' });
  for (const unknown of [id, other.id, 'job_x'])
    await expect(status.call({ id: unknown }, signal)).rejects.toThrow('this job has started no job of this id');
});
