import { expect, it } from 'vitest';
import type { DeployBinding } from '../../../lib/bindings/deploy-binding.ts';
import { FOLDER_HAS_CHANGED } from '../../../lib/deployments/commands-in-thread.ts';
import { reconcileDeployments } from '../../../lib/deployments/reconcile-deployments.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aReceipt } from '../jobs/a-job.ts';

const [ID, NEXT] = ['job_00000000000000000000000001', 'job_00000000000000000000000002'];
const AT = '2026-11-20T09:00:00.000Z';
const LATER = '2026-11-20T11:00:00.000Z';
const RUNS = { mode: 'custom', state: 'running', worker_id: 'worker-1', ends_by: LATER } as const;
const COMMAND = { mode: 'custom', state: 'pending' } as const;
const CALL = { mode: 'generic', state: 'pending', payload: '{}' } as const;

interface Situation {
  /** The deployments of the job, one for each binding; undefined: its record is missing. */
  readonly made: readonly (Pick<JobDeployment, 'mode'> & Partial<JobDeployment> & { readonly missing?: true })[];
  /** The turn after the job in its thread. */
  readonly next?: Partial<Job>;
  readonly job?: Partial<Job>;
}

/** A success at 9:00 with deployments, at 10:00; worker-1 lives. */
async function succeeded({ made, next, job: differences }: Situation) {
  const deployment = quietDeployment();
  const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at: AT } as const;
  const inThread = next === undefined ? {} : { thread_id: ID, turn: 1 };
  const job = await deployment.store({ id: ID, ...ended, bindings_pending: [1], ...inThread, ...differences });
  await deployment.output.putReceipt(
    aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: ID, finished_at: AT }),
  );
  if (next !== undefined) {
    await deployment.store({ id: NEXT, thread_id: ID, turn: 2, continues: ID, ...next });
    await deployment.threads.put(ID, { turn: 2, jobId: NEXT });
  }
  for (const [at, { missing, ...one }] of made.entries()) {
    const [name, binding] = [`${at}`, `local_project.${at}`];
    const does: Partial<DeployBinding> = { command: 'make', target_url: 'https://example.com/', framework: 'vite' };
    await deployment.bindings.replace(undefined, {
      ...{ id: binding, project_id: 'local_project', project: 'local_project', name, secrets: [] },
      ...{ binding_mode: one.mode, ...does, created_at: AT, updated_at: AT },
    });
    if (missing === true) continue;
    await deployment.deployments.replace(undefined, {
      ...{ job_id: ID, attempt: 1, binding, name, state: 'pending', attempts: 0, created_at: AT, due_at: AT, ...one },
    });
  }
  const { workers } = deployment;
  await workers.register({ id: 'worker-1', host: '', version: '0', concurrency: 1, running: [], started_at: AT });
  const called: string[] = [];
  const send = async ({ binding }: { binding: string }) => void called.push(binding);
  const deliveries = Object.create(deployment.deliveries, { send: { value: send } }) as typeof deployment.deliveries;
  const pass = async (changes: { lost?: boolean } = {}) => {
    deployment.calls.length = 0;
    const until = await reconcileDeployments({ ...deployment, deliveries }, changes);
    if (until !== undefined) throw new Error('it took too long');
    return deployment.calls.length;
  };
  const list = async () => await deployment.deployments.list(ID);
  const states = async () => (await list()).map(({ state }) => state);
  const offered = () => deployment.sent.map(({ job: of }) => of);
  return { deployment, job, pass, list, states, called, offered };
}

it('commands whose time is over have failed although their worker lives, further ones are offered in the same pass', async () => {
  const over = { ...RUNS, ends_by: '2026-11-20T09:59:59.999Z' };
  const { pass, list, states, offered } = await succeeded({ made: [over, COMMAND, COMMAND] });
  await pass();
  expect(await states()).toEqual(['failed', 'pending', 'pending']);
  expect((await list())[0]).toMatchObject({
    finished_at: '2026-11-20T10:00:00.000Z',
    error: 'The worker that ran it was lost; how far it came is not known.',
  });
  expect(offered()).toEqual([ID]);
});

it.each<[what: string, running: Partial<JobDeployment>, state: string]>([
  ['their worker lives and their time ends now', { ends_by: '2026-11-20T10:00:00.000Z' }, 'running'],
  ['their worker is not known', { worker_id: 'worker-2' }, 'failed'],
  ['no worker is named', { worker_id: undefined }, 'failed'],
  ['no end is named', { ends_by: undefined }, 'failed'],
])('running commands are left alone only while a worker can be at them: %s', async (_what, running, state) => {
  const { pass, states } = await succeeded({ made: [{ ...RUNS, ...running }] });
  await pass();
  expect(await states()).toEqual([state]);
});

it('while a command runs, none after it is offered, skipped or held, but calls are sent', async () => {
  const next = { parked: 'waiting_for_thread', reason: 'waiting_for_thread', waits_for: ID } as const;
  const { deployment, job, pass, states, called, offered } = await succeeded({ made: [RUNS, COMMAND, CALL], next });
  await pass();
  expect([await states(), called, offered()]).toEqual([['running', 'pending', 'pending'], ['local_project.2'], []]);
  expect((await deployment.read(job))?.commands_held).toBeUndefined();
});

it('once a later turn has begun, commands are skipped, and calls are still sent', async () => {
  const next = { status: 'RUNNING', reason: 'running', attempt: 1 } as const;
  const { pass, list, states, called, offered } = await succeeded({ made: [CALL, COMMAND, COMMAND], next });
  await pass();
  expect([await states(), called, offered()]).toEqual([['pending', 'skipped', 'skipped'], ['local_project.0'], []]);
  expect((await list())[1]).toMatchObject({ error: FOLDER_HAS_CHANGED });
});

it('commands that wait for the next turn are held and not offered, unless a call is pending: then they only wait', async () => {
  const next = { parked: 'profile_busy', reason: 'profile_busy' } as const;
  for (const [made, isHeld] of [
    [[COMMAND], true],
    [[CALL, COMMAND], undefined],
  ] as const) {
    const { deployment, job, pass, offered } = await succeeded({ made, next });
    await pass();
    expect([(await deployment.read(job))?.commands_held, offered()]).toEqual([isHeld, []]);
  }
});

it.each<[what: string, due_at: string, isSent: boolean]>([
  ['due for more than a minute', '2026-11-20T09:58:59.999Z', true],
  ['due for a minute', '2026-11-20T09:59:00.000Z', false],
])('what is %s has lost its message or not', async (_what, due_at, isSent) => {
  const { pass, called, offered } = await succeeded({ made: [COMMAND, CALL].map((one) => ({ ...one, due_at })) });
  await pass();
  expect([called, offered()]).toEqual(isSent ? [['local_project.1'], [ID]] : [[], []]);
  await pass({ lost: true });
  expect([called.length, offered().length]).toEqual(isSent ? [2, 2] : [1, 1]);
});

it('records that a crash left out are written, and if all messages were lost, sent in the same pass', async () => {
  const missing = { ...COMMAND, missing: true } as const;
  const { pass, list, offered } = await succeeded({ made: [missing, { ...missing, mode: 'web_framework' }] });
  await pass({ lost: true });
  expect((await list()).map(({ name, mode }) => `${name} ${mode}`)).toEqual(['0 custom', '1 web_framework']);
  expect(offered()).toEqual([ID]);
});

it('the mark that a crash left is removed, whether all was done or none of the bindings exists', async () => {
  const done = [{ ...CALL, state: 'delivered' } as const, { ...COMMAND, state: 'failed' } as const];
  for (const made of [done, done.slice(0, 1), []]) {
    const { deployment, job, pass } = await succeeded({ made });
    await pass();
    expect(await deployment.read(job)).not.toHaveProperty('bindings_pending');
  }
});

it('a job whose mark was removed since it was listed is not touched', async () => {
  const { deployment, job, called, states } = await succeeded({ made: [CALL], job: { bindings_pending: undefined } });
  const partition = async function* () {
    yield job;
  };
  deployment.calls.length = 0;
  await reconcileDeployments({ ...deployment, partition });
  expect([deployment.calls.length, called, await states()]).toEqual([1, [], ['pending']]);
});

it.each<[what: string, situation: Situation, calls: number]>([
  ['a call that waits', { made: [{ ...CALL, due_at: LATER }] }, 4],
  [
    'beside calls that are done',
    {
      made: [
        { ...CALL, due_at: LATER },
        { ...CALL, state: 'failed' },
      ],
    },
    4,
  ],
  ['a command that runs', { made: [RUNS], next: {} }, 6],
  ['a command that waits for a worker', { made: [{ ...COMMAND, due_at: LATER }] }, 6],
  [
    'a command that waits for a worker, before a turn that waits for a person',
    {
      made: [{ ...COMMAND, due_at: LATER }],
      next: { parked: 'thread_stopped', reason: 'thread_stopped', waits_for: ID },
    },
    9,
  ],
  ['a call that is made again', { made: [CALL], next: { parked: 'thread_stopped', reason: 'thread_stopped' } }, 7],
  [
    'a call that is made again, before a turn that waits for another job',
    { made: [CALL], next: { parked: 'waiting_for_thread', reason: 'waiting_for_thread', waits_for: NEXT } },
    7,
  ],
])('a job costs few reads in each pass: %s', async (_what, situation, calls) => {
  const { pass } = await succeeded(situation);
  expect(await pass()).toBe(calls);
});
