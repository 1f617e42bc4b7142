import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { isTokenActive, profileOfChild } from '../../../../lib/jobs/creation/child-rights.ts';
import { delegateJob } from '../../../../lib/jobs/creation/delegate-job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aRunningJob } from '../a-job.ts';

it('a token is as the last acknowledged write has left it', async () => {
  const { registry, table } = quietDeployment({ lag: 60_000 });
  const put = async (state: string) =>
    await table.send(new PutCommand({ TableName: 'registry', Item: { kind: 'token', id: 'tok_1', state } }));
  expect(await isTokenActive(registry, { token_id: 'tok_1' })).toBe(false);
  await put('active');
  expect(await isTokenActive(registry, { token_id: 'tok_1' })).toBe(true);
  await put('revoked');
  expect(await isTokenActive(registry, { token_id: 'tok_1' })).toBe(false);
  expect(await isTokenActive(registry, { token_id: undefined })).toBe(true);
});

it('a child that names no folder is allowed, wherever its parent works', async () => {
  const deployment = quietDeployment();
  const { project_id, ...parent } = aRunningJob({ profile: 'codex', cwd: 'work' });
  const child = { project_id };
  expect(await profileOfChild(deployment, { ...parent, project_id }, child)).toBe('codex');
});

it('a child created a moment ago keeps its place at its parent, though a repeated call is invalid', async () => {
  const deployment = quietDeployment({ lag: 60_000 });
  const parent = await deployment.store(aRunningJob({ id: jobIdOfKey('parent'), profile: 'codex', agent: 'codex' }));
  const { id } = await delegateJob(deployment, parent, { prompt: 'x' }, 'key');
  const again = delegateJob(deployment, parent, { prompt: 'x', rule_ids: ['none'] }, 'key');
  await expect(again).rejects.toThrow('there is no rule of this id');
  expect((await deployment.read(parent))?.tool_children).toEqual([id]);
});
