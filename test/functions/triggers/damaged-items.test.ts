import { PutObjectCommand } from '@aws-sdk/client-s3';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { claim } from '../../../lib/jobs/admission/claim.ts';
import { indexKeys } from '../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { receiptKey } from '../../../lib/jobs/output/output-keys.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { aJob, aReceipt, aRunningJob } from '../../lib/jobs/a-job.ts';
import { due } from '../../lib/jobs/due-effects.ts';
import { metricsIn, type PrintedLine, printedBy } from '../../local-run/captured-lines.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

/** One damaged item beside sound ones: each pass reports it and continues. */
let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
  vi.resetModules();
  for (const [name, value] of Object.entries(deployment.variables)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await deployment.stop();
});

const watch = async (event: { redrive?: boolean } = {}) => {
  const { handler } = await import('../../../functions/triggers/reconcile-jobs.ts');
  return (await printedBy(async () => await handler(event, { awsRequestId: 'invocation-1' }))).lines;
};
const sweep = async () => {
  const { handler } = await import('../../../functions/triggers/sweep-jobs.ts');
  return (await printedBy(async () => await handler({}, { awsRequestId: 'invocation-1' }))).lines;
};
const reported = (lines: readonly PrintedLine[]) =>
  lines.filter(({ message }) => message === 'skipped a damaged item').map(({ item }) => item);
const ago = (seconds: number) => timestamp(deployment.clock.now() - seconds * 1000);
const stored = async ({ id }: Pick<Job, 'id'>) => await deployment.jobs.get(id, { consistent: true });

/** Stores a job of which some members are not what they must be. */
async function storeDamaged(job: Job, damage: Readonly<Record<string, unknown>>): Promise<void> {
  const Item = { ...job, ...indexKeys(job), ...damage };
  await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
}
async function storeInRegistry(item: Readonly<Record<string, unknown>>): Promise<void> {
  await deployment.table.send(new PutCommand({ TableName: deployment.env.REGISTRY_TABLE, Item: item }));
}
const putGarbageReceipt = async (id: string) =>
  await deployment.objects.send(
    new PutObjectCommand({ Bucket: deployment.env.OUTPUT_BUCKET, Key: receiptKey(id, 1), Body: '{"version":1' }),
  );

it('a lost job with an invalid receipt does not block other lost jobs', async () => {
  const over = { lease_until: ago(60) };
  const damaged = await deployment.store(aRunningJob({ id: jobIdOfKey('garbage'), created_at: ago(500), ...over }));
  await putGarbageReceipt(damaged.id);
  await storeDamaged(aRunningJob({ id: jobIdOfKey('no attempt'), created_at: ago(400), ...over }), { attempt: 'one' });
  await storeDamaged(aRunningJob({ id: jobIdOfKey('not listed'), created_at: ago(300), ...over }), { priority: 'top' });
  const lost = await deployment.store(aRunningJob({ id: jobIdOfKey('lost'), ...over }));
  const lines = await watch();
  expect(await stored(lost)).toMatchObject({ status: 'QUEUED', reason: 'worker_lost', losses: 1 });
  expect(await stored(damaged)).toEqual(damaged);
  expect(reported(lines).sort()).toEqual(
    ['garbage', 'no attempt', 'not listed'].map((key) => `job ${jobIdOfKey(key)}`).sort(),
  );
  expect(metricsIn(lines).DamagedItems).toEqual([1, 1, 1]);
});

it('an ended job with unreadable follow-ups or bindings does not block those of other jobs', async () => {
  const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1 } as const;
  // Without a binding that acts, the receipt is not read.
  const bound = { project_id: 'bound', project: 'bound' };
  await deployment.bindings.replace(undefined, {
    ...{ id: 'bound.site', name: 'site', ...bound, binding_mode: 'custom', command: 'true', secrets: [] },
    ...{ created_at: ago(900), updated_at: ago(900) },
  });
  for (const pending of [{ effects: due({ follow_ups: [1] }) }, { effects: due({ commands: [1] }) }]) {
    const name = pending.effects[0]?.name;
    const id = jobIdOfKey(`damaged ${name}`);
    const damaged = aJob({ id, ...bound, finished_at: ago(500), ...ended, ...pending });
    await deployment.store(damaged);
    await putGarbageReceipt(damaged.id);
    const sound = aJob({ id: jobIdOfKey(`sound ${name}`), finished_at: ago(400), ...ended, ...pending });
    await deployment.store(sound);
    await deployment.output.putReceipt(aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: sound.id }));
  }
  const lines = await watch();
  expect(await stored({ id: jobIdOfKey('sound follow_ups') })).not.toHaveProperty('effects');
  expect(await stored({ id: jobIdOfKey('sound commands') })).not.toHaveProperty('effects');
  // Follow-ups come last: the output that they are read from may be long.
  expect(reported(lines)).toEqual(['commands', 'follow_ups'].map((name) => `job ${jobIdOfKey(`damaged ${name}`)}`));
});

it('a damaged parked job, probe record or slot does not block other jobs', async () => {
  const account = { parked: 'account_required', reason: 'account_required' } as const;
  const limit = { parked: 'usage_limit', reason: 'usage_limit' } as const;
  await storeInRegistry({ kind: 'probe', id: 'account_required', job_id: 'x', attempt: 'one', next_at: ago(9) });
  await deployment.store({ id: jobIdOfKey('account'), due_at: ago(60), ...account });
  await storeDamaged(aJob({ id: jobIdOfKey('first'), due_at: ago(90), ...limit }), { attempt: 'one' });
  const tries = await deployment.store({ id: jobIdOfKey('second'), due_at: ago(60), ...limit });
  // Folders are named by a hash of their path.
  const cwd = (name: string) => `${deployment.env.PROMPTQ_WORKSPACES}/local_project/${name}`;
  const { folderName } = await import('../../../lib/jobs/admission/folder-slots.ts');
  const waiting = [];
  for (const name of ['damaged', 'free']) {
    const job = { id: jobIdOfKey(`in ${name}`), project_id: 'local_project', cwd: cwd(name) };
    const folder = folderName(deployment.folders, job) ?? '';
    if (name === 'damaged') await storeInRegistry({ kind: 'hold', id: folder, job_id: 7 });
    waiting.push(await deployment.store({ ...job, folder, parked: 'folder_busy', reason: 'folder_busy' }));
  }
  const lines = await watch();
  expect(await stored(tries)).toMatchObject({ probing: 'usage_limit' });
  expect(await Promise.all(waiting.map(async (job) => (await stored(job))?.parked))).toEqual([
    'folder_busy',
    undefined,
  ]);
  expect(reported(lines)).toEqual([
    'probe account_required',
    `job ${jobIdOfKey('first')}`,
    `folder ${waiting[0]?.folder}`,
  ]);
});

it('a damaged job, or one with a damaged profile, does not block the claims of other jobs', async () => {
  await storeDamaged(aJob({ id: jobIdOfKey('first'), priority: 9 }), { attempt: 'one' });
  await storeInRegistry({ kind: 'profile', id: 'broken', concurrency: 'many' });
  await deployment.store({ id: jobIdOfKey('second'), priority: 8, profile: 'broken' });
  const third = await deployment.store({ id: jobIdOfKey('third'), priority: 7 });
  const message = { v: 1, band: 'high', project: 'local_project', job: third.id } as const;
  const { result } = await printedBy(
    async () => await claim(deployment, { message, handle: 'none', receives: 9, sentAt: 0 }, 'worker'),
  );
  expect(result).toMatchObject({ kind: 'claimed', job: { id: third.id } });
});

it('a sweep skips damaged items', async () => {
  vi.stubEnv('PROMPTQ_RETENTION_DAYS', '1');
  const old = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, created_at: ago(900_000) } as const;
  await storeDamaged(aJob({ id: jobIdOfKey('damaged'), ...old, finished_at: ago(900_000) }), { version: 'one' });
  const sound = await deployment.store({ id: jobIdOfKey('sound'), ...old, finished_at: ago(900_000) });
  const lines = await sweep();
  expect(await stored(sound)).toBeUndefined();
  expect(reported(lines)).toEqual([`job ${jobIdOfKey('damaged')}`]);
});
