import { expect, it } from 'vitest';
import { reconcileDeployments } from '../../../lib/deployments/reconcile-deployments.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aReceipt } from '../jobs/a-job.ts';

const [ID, NEXT] = ['job_00000000000000000000000001', 'job_00000000000000000000000002'];
const AT = '2026-11-20T09:00:00.000Z';
const LATER = '2026-11-20T11:00:00.000Z';
const SUCCEEDED = {
  status: 'SUCCEEDED',
  reason: 'exited',
  attempt: 1,
  finished_at: AT,
  bindings_pending: [1],
} as const;
const RETRIED = { status: 'QUEUED', reason: 'waiting_for_worker', finished_at: undefined } as const;

/** A success at 9:00, at 10:00. Bindings are to make calls; some calls are recorded. */
async function succeeded({ bindings, job: differences }: { bindings: readonly string[]; job?: Partial<Job> }) {
  const deployment = quietDeployment();
  const job = await deployment.store({ id: ID, ...SUCCEEDED, bindings_pending: [1], ...differences });
  const ended = { kind: 'succeeded', reason: 'exited' } as const;
  for (const attempt of job.bindings_pending ?? [])
    await deployment.output.putReceipt(aReceipt(ended, { job_id: ID, attempt, finished_at: AT }));
  for (const name of bindings)
    await deployment.bindings.replace(undefined, {
      ...{ id: `local_project.${name}`, project_id: 'local_project', project: 'local_project', name, secrets: [] },
      ...{ binding_mode: 'generic', target_url: 'https://example.com/', created_at: AT, updated_at: AT },
    });
  const record = async (attempt: number, name: string, state: 'pending' | 'delivered', due_at = LATER) =>
    await deployment.deployments.replace(undefined, {
      ...{ job_id: ID, attempt, binding: `local_project.${name}`, name, mode: 'generic', state, attempts: 0 },
      ...{ payload: '{}', created_at: AT, due_at },
    });
  const records = async () => (await deployment.deployments.list(ID)).map(({ attempt, name }) => `${attempt} ${name}`);
  const called: string[] = [];
  const send = async ({ binding }: { binding: string }) => void called.push(binding);
  const deliveries = Object.create(deployment.deliveries, { send: { value: send } }) as typeof deployment.deliveries;
  const pass = async (changes: Partial<Parameters<typeof reconcileDeployments>[0]> = {}) => {
    deployment.calls.length = 0;
    await reconcileDeployments({ ...deployment, deliveries, ...changes });
    return deployment.calls.length;
  };
  return { deployment, job, record, records, called, pass };
}

it.each<[what: string, situation: Parameters<typeof succeeded>[0], expected: string[]]>([
  ['of another binding', { bindings: ['a', 'b'] }, ['1 a', '1 b']],
  ['of another attempt', { bindings: ['a'], job: { attempt: 2, bindings_pending: [1, 2] } }, ['1 a', '2 a']],
])('a record that a crash left out is written although there is one %s', async (_what, situation, expected) => {
  const { record, records, pass } = await succeeded(situation);
  await record(1, 'a', 'pending');
  await pass();
  expect(await records()).toEqual(expected);
});

it('a job that was retried since it was listed still has its missing records written', async () => {
  const { job, records, pass } = await succeeded({ bindings: ['a'], job: RETRIED });
  const partition = async function* () {
    yield job;
  };
  await pass({ partition });
  expect(await records()).toEqual(['1 a']);
});

it('the mark of an attempt whose calls are made is removed while those of a later one wait', async () => {
  const { deployment, job, record, pass } = await succeeded({
    bindings: ['a'],
    job: { attempt: 2, bindings_pending: [1, 2] },
  });
  await record(1, 'a', 'delivered');
  await record(2, 'a', 'pending');
  await pass();
  expect((await deployment.read(job))?.bindings_pending).toEqual([2]);
});

it('a job is read no more often for a binding that does not act', async () => {
  const { deployment, record, pass } = await succeeded({ bindings: ['a'] });
  await record(1, 'a', 'pending');
  const before = await pass();
  const [binding] = await deployment.bindings.list('local_project');
  if (binding === undefined) throw new Error('the binding was not stored');
  const off = { id: 'local_project.off', name: 'off', disabled_reason: 'It was switched off.' };
  await deployment.bindings.replace(undefined, { ...binding, ...off });
  expect(await pass()).toBe(before);
});

it('a call is made again although a later turn of the thread was removed', async () => {
  const { deployment, record, called, pass } = await succeeded({ bindings: ['a'], job: { thread_id: ID, turn: 1 } });
  await record(1, 'a', 'pending', AT);
  await deployment.threads.put(ID, { turn: 2, jobId: NEXT });
  await pass();
  expect(called).toEqual(['local_project.a']);
});
