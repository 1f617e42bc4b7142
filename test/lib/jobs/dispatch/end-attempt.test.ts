import { expect, it } from 'vitest';
import type { DeployBinding } from '../../../../lib/bindings/deploy-binding.ts';
import type { DeployBindingStore } from '../../../../lib/bindings/deploy-binding-store.ts';
import { endAttempt } from '../../../../lib/jobs/dispatch/end-attempt.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aReceipt, aRunningJob } from '../a-job.ts';

async function ended(kind: 'succeeded' | 'failed', listed: readonly Partial<DeployBinding>[]) {
  const deployment = quietDeployment();
  const job = await deployment.store(aRunningJob());
  const asked: unknown[] = [];
  const list = async (project: string) => {
    asked.push(project);
    return listed as DeployBinding[];
  };
  const context = { ...deployment, bindings: { list } as unknown as DeployBindingStore };
  const { job: after } = await endAttempt(context, job, aReceipt({ kind, reason: 'exited' }));
  return { after, asked };
}

const command: Partial<DeployBinding> = { binding_mode: 'custom', command: 'make deploy' };

it('a success is deployed if its project has a binding that acts', async () => {
  const { after, asked } = await ended('succeeded', [command]);
  expect(after).toMatchObject({ status: 'SUCCEEDED', bindings_pending: [1] });
  expect(asked).toEqual(['local_project']);
});

it.each<[string, readonly Partial<DeployBinding>[]]>([
  ['no binding', []],
  ['only bindings that act on nothing', [{ ...command, binding_mode: 'hosted_editor' }]],
])('a success is not deployed if its project has %s', async (_what, listed) => {
  expect((await ended('succeeded', listed)).after).not.toHaveProperty('bindings_pending');
});

it('the bindings of a failure are not read', async () => {
  const { after, asked } = await ended('failed', [command]);
  expect(after).toMatchObject({ status: 'FAILED' });
  expect(asked).toEqual([]);
});
