import { expect, it } from 'vitest';
import type { DeployBinding } from '../../../lib/bindings/deploy-binding.ts';
import { callPayload } from '../../../lib/deployments/calls/call-payload.ts';
import {
  announce,
  finishDeployments,
  newDeployment,
  startDeployments,
  unmarkIfDone,
} from '../../../lib/deployments/start-deployments.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aReceipt } from '../jobs/a-job.ts';

const ID = 'job_00000000000000000000000001';
const BEGAN = '2026-11-20T10:00:00.000Z';
const ENDED = '2026-11-20T10:00:10.000Z';
const CALL = { binding_mode: 'generic', target_url: 'https://example.com/hook' } as const;
const COMMAND = { binding_mode: 'custom', command: 'true' } as const;

/** A succeeded job whose bindings have to act on some of its attempts; all of them but `lost` have a receipt. */
async function succeeded({ attempts = [1], lost = [] }: { attempts?: number[]; lost?: number[] } = {}) {
  const deployment = quietDeployment();
  const job = await deployment.store({
    ...{ id: ID, status: 'SUCCEEDED', reason: 'exited', attempt: attempts.at(-1) ?? 1, bindings_pending: attempts },
    finished_at: ENDED,
  });
  for (const attempt of attempts.filter((one) => !lost.includes(one)))
    await deployment.output.putReceipt(aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: ID, attempt }));
  const bind = async (name: string, fields: Partial<DeployBinding> & Pick<DeployBinding, 'binding_mode'>) => {
    const made = await deployment.bindings.replace(undefined, {
      ...{ id: `local_project.${name}`, project_id: 'local_project', project: 'local_project', name, secrets: [] },
      ...{ created_at: BEGAN, updated_at: BEGAN, ...fields },
    });
    if (made === undefined) throw new Error('the binding was there already');
    return made;
  };
  const sent: object[] = [];
  const send = async (delivery: object) => void sent.push(delivery);
  const deliveries = Object.create(deployment.deliveries, { send: { value: send } }) as typeof deployment.deliveries;
  const list = async () =>
    (await deployment.deployments.list(ID)).map(({ name, attempt, state }) => `${name} ${attempt} ${state}`);
  const put = async (binding: string, fields: Partial<JobDeployment> & Pick<JobDeployment, 'state'>) =>
    await deployment.deployments.replace(undefined, {
      ...{ job_id: ID, attempt: 1, binding: `local_project.${binding}`, name: binding, mode: 'custom', attempts: 0 },
      ...{ created_at: ENDED, due_at: ENDED, ...fields },
    });
  const pending = async () => (await deployment.read({ id: ID }))?.bindings_pending;
  return { context: { ...deployment, deliveries }, deployment, job, bind, put, sent, list, pending };
}

it('each pending attempt is deployed once by each binding that has seen its success, and only calls are sent', async () => {
  const { context, job, bind, sent, list, pending } = await succeeded({ attempts: [1, 2] });
  await bind('call', CALL);
  await bind('command', COMMAND);
  await bind('just-in-time', { ...CALL, created_at: ENDED });
  await bind('late', { ...CALL, created_at: '2026-11-20T10:00:10.001Z' });
  await bind('incomplete', { binding_mode: 'generic' });
  await bind('editor', { binding_mode: 'hosted_editor', open_url: 'vscode://file/{cwd}' });
  const updated = await startDeployments(context, job);
  const made = ['call', 'command', 'just-in-time'];
  expect(await list()).toEqual([1, 2].flatMap((attempt) => made.map((name) => `${name} ${attempt} pending`)));
  const calls = [1, 2].flatMap((attempt) =>
    ['local_project.call', 'local_project.just-in-time'].map((binding) => ({ job: ID, attempt, binding })),
  );
  expect([sent, context.sent]).toEqual([calls, []]);
  expect([updated.bindings_pending, await pending()]).toEqual([
    [1, 2],
    [1, 2],
  ]);
  await startDeployments(context, job);
  expect(sent).toHaveLength(4);
});

it('an attempt whose receipt is lost has nothing to deploy, and no longer waits for it', async () => {
  const { context, job, bind, list, pending } = await succeeded({ attempts: [1, 2], lost: [1] });
  await bind('call', CALL);
  const updated = await startDeployments(context, job);
  expect(await list()).toEqual(['call 2 pending']);
  expect([updated.bindings_pending, await pending()]).toEqual([[2], [2]]);
});

it('where no commands are run, a job waits for none of them', async () => {
  const { context, job, bind, list, sent, pending } = await succeeded();
  await bind('command', COMMAND);
  await startDeployments({ ...context, commands: false }, job);
  expect([await list(), sent, context.sent, await pending()]).toEqual([['command 1 skipped'], [], [], undefined]);
});

it('all deployments are written before the first call is sent, so that the end of one is not taken for that of all', async () => {
  const { context, job, bind, list } = await succeeded();
  await bind('first', CALL);
  await bind('second', CALL);
  const seen: string[][] = [];
  const deliveries = Object.create(context.deliveries, { send: { value: async () => seen.push(await list()) } });
  await startDeployments({ ...context, deliveries: deliveries as typeof context.deliveries }, job);
  expect(seen[0]).toEqual(['first 1 pending', 'second 1 pending']);
});

it('a deployment begins as pending, with the body of a call, or as skipped where no commands are run', async () => {
  const { deployment, job, bind } = await succeeded();
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { attempt: 7 });
  const begin = (binding: DeployBinding, commands = true) =>
    newDeployment({ ...deployment, commands, publicUrl: 'https://queue.example' }, binding, { job, receipt });
  const [call, command] = [await bind('call', CALL), await bind('command', COMMAND)];
  const begun = { job_id: ID, attempt: 7, attempts: 0, created_at: BEGAN, due_at: BEGAN };
  const payload = callPayload(job, receipt, 'https://queue.example');
  const called = { ...begun, binding: call.id, name: 'call', mode: 'generic', state: 'pending', payload };
  expect([begin(call), begin(call, false)]).toEqual([called, called]);
  const run = { ...begun, binding: command.id, name: 'command', mode: 'custom' };
  const error = "This deployment's bindings run no commands.";
  expect([begin(command), begin(command, false)]).toEqual([
    { ...run, state: 'pending' },
    { ...run, state: 'skipped', finished_at: BEGAN, error },
  ]);
  const editor = await bind('editor', { binding_mode: 'hosted_editor', open_url: 'vscode://file/{cwd}' });
  expect(() => begin(editor)).toThrow('a hosted editor has no deployments');
});

it('commands are offered to workers only by a caller that asks for it, calls are always sent', async () => {
  const { context, job, put, sent } = await succeeded();
  const command = (await put('command', { state: 'pending' })) as JobDeployment;
  const call = (await put('call', { state: 'pending', mode: 'generic' })) as JobDeployment;
  await announce(context, job, command);
  expect([sent, context.sent]).toEqual([[], []]);
  await announce(context, job, call, { toWorkers: true });
  expect([sent, context.sent]).toEqual([[{ job: ID, attempt: 1, binding: call.binding }], []]);
  await announce(context, job, command, { toWorkers: true });
  expect([sent.length, context.sent]).toEqual([1, [{ job: ID, band: 'normal', seconds: 0 }]]);
});

it.each<[what: string, others: Partial<JobDeployment>[], isDone: boolean]>([
  ['one for each binding that acts', [{ state: 'delivered' }], true],
  ['one is pending', [{ state: 'pending' }], false],
  ['only one of another attempt is pending', [{ state: 'failed' }, { attempt: 2, state: 'pending' }], true],
  ['one is missing', [], false],
  ['only that of another attempt is there', [{ attempt: 2, state: 'delivered' }], false],
])('an attempt is done once all of its deployments are: %s', async (_what, others, isDone) => {
  const { context, job, bind, put, pending } = await succeeded({ attempts: [1, 2] });
  await bind('command', COMMAND);
  await bind('call', CALL);
  await bind('incomplete', { binding_mode: 'generic' });
  await put('command', { state: 'succeeded' });
  for (const one of others) await put('call', { state: 'failed', mode: 'generic', ...one });
  context.calls.length = 0;
  const updated = await finishDeployments(context, job, 1);
  const left = isDone ? [2] : [1, 2];
  const isPending = others.some((one) => one.attempt === undefined && one.state === 'pending');
  // The bindings need not be read then.
  expect(context.calls.length === 1).toBe(isPending);
  expect([updated.bindings_pending, await pending()]).toEqual([left, left]);
});

it('a job that changed since it was read is no longer marked either, and one that is gone is left alone', async () => {
  const { context, deployment, job, put, pending } = await succeeded();
  await put('command', { state: 'failed' });
  const changed = await deployment.jobs.apply(job, { ...job, bindings_pending: [1, 3] });
  expect(changed.applied).toBe(true);
  expect((await unmarkIfDone(context, job, 1)).bindings_pending).toEqual([3]);
  expect(await pending()).toEqual([3]);
  const gone: Job = { ...job, id: 'job_00000000000000000000000002' };
  expect(await unmarkIfDone(context, gone, 1)).toEqual(gone);
});

it('a job that changes each time it is read keeps its mark after ten tries, for reconcile-jobs', async () => {
  const { context, job, put, pending } = await succeeded();
  await put('command', { state: 'failed' });
  let tries = 0;
  const apply = async (known: Job) => {
    tries += 1;
    return { applied: false, current: { ...known, version: known.version + 1 } };
  };
  const jobs = Object.create(context.jobs, { apply: { value: apply } }) as typeof context.jobs;
  expect(await unmarkIfDone({ ...context, jobs }, job, 1)).toMatchObject({ version: 11, bindings_pending: [1] });
  expect([tries, await pending()]).toEqual([10, [1]]);
});
