import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { startAwsStandIn } from '../../bin/aws-stand-in.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { metricsIn, printedBy } from '../../local-run/captured-lines.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
  for (const [name, value] of Object.entries(deployment.variables)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await deployment.stop();
});

const watch = async (event: { redrive?: boolean } = {}) => {
  const { handler } = await import('../../../functions/triggers/reconcile-jobs.ts');
  return (await printedBy(async () => await handler(event, { awsRequestId: 'invocation-1' }))).lines;
};
const ago = (seconds: number) => timestamp(deployment.clock.now() - seconds * 1000);

it('an idle deployment logs nothing', async () => {
  expect(await watch()).toEqual([]);
});

it('the longest wait, jobs that wait for an account, dead letters and lost workers are reported', async () => {
  await deployment.store({ id: jobIdOfKey('new'), queued_at: ago(1) });
  await deployment.store({ id: jobIdOfKey('old'), queued_at: ago(4_000) });
  await deployment.store({ id: jobIdOfKey('due later'), queued_at: ago(9_000), due_at: ago(-600) });
  for (const name of ['one', 'two']) {
    const parked = { reason: 'account_required', parked: 'account_required', due_at: ago(-600) } as const;
    await deployment.store({ id: jobIdOfKey(name), queued_at: ago(90_000), ...parked });
  }
  // It waits for another job, not for a worker.
  const busy = { reason: 'folder_busy', parked: 'folder_busy', folder: 'f' } as const;
  await deployment.store({ id: jobIdOfKey('busy'), queued_at: ago(90_000), ...busy });
  const lost = await deployment.store(aRunningJob({ id: jobIdOfKey('lost'), losses: 3, lease_until: ago(60) }));
  const { QueueUrl } = await deployment.queues.send(new GetQueueUrlCommand({ QueueName: 'promptq-high-dlq' }));
  const MessageBody = JSON.stringify({ v: 1, band: 'high', project: 'p', job: 'j' });
  await deployment.queues.send(new SendMessageCommand({ QueueUrl, MessageBody }));

  const lines = await watch();
  const { OldestReadyJob, ...others } = metricsIn(lines);
  expect(others).toEqual({ AccountRequiredJobs: [2], PermitsGivenUp: [1] });
  expect(OldestReadyJob).toHaveLength(1);
  expect(OldestReadyJob?.[0]).toBeGreaterThanOrEqual(4_000);
  expect(OldestReadyJob?.[0]).toBeLessThan(4_060);
  const told = lines.filter(({ level }) => level !== undefined);
  expect(told).toEqual([
    expect.objectContaining({ request_id: 'invocation-1', job_id: lost.id, attempt: 1, status: 'FAILED' }),
    expect.objectContaining({ request_id: 'invocation-1', messages: 1 }),
  ]);
  // Reissuing reads the waiting jobs in another way, and reports the same numbers.
  expect(metricsIn(await watch({ redrive: true }))).toEqual({
    AccountRequiredJobs: [2],
    OldestReadyJob: [expect.any(Number)],
  });
});

it("an operator's redrive of a deployment has the settings of its function, and none of the operator's machine", async () => {
  const { variables } = deployment;
  const settings = Object.entries(variables).filter(([name]) => !name.startsWith('AWS_'));
  const TriggersWatchJobs01234567 = { ...Object.fromEntries(settings), PROMPTQ_USAGE_PROBE_SECONDS: '86400' };
  const stack = { status: 'UPDATE_COMPLETE', functions: { TriggersCountJobs89ABCDEF: {}, TriggersWatchJobs01234567 } };
  const aws = await startAwsStandIn({ stacks: { 'team-api': stack }, parameters: {} });
  onTestFinished(aws.close);
  const parked = { reason: 'usage_limit', parked: 'usage_limit', due_at: ago(60) } as const;
  const job = await deployment.store({ id: jobIdOfKey('limited'), ...parked });
  const machine = {
    ...Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith('AWS_'))),
    AWS_ENDPOINT_URL_CLOUDFORMATION: aws.endpoint,
    AWS_ENDPOINT_URL_LAMBDA: aws.endpoint,
    PROMPTQ_USAGE_PROBE_SECONDS: '1',
    // The function has none, which is the default.
    PROMPTQ_ACCOUNT_PROBE_SECONDS: 'often',
  };
  const program = fileURLToPath(new URL('../../../bin/operate.ts', import.meta.url));
  await promisify(execFile)(process.execPath, [program, '--stack', 'team-data', 'redrive'], { env: machine });
  expect(await deployment.jobs.get(job.id, { consistent: true })).toMatchObject({ probing: 'usage_limit' });
  const probe = await deployment.probes.read('usage_limit');
  expect(Date.parse(probe?.next_at ?? '') - deployment.clock.now()).toBeGreaterThan(3_600_000);
});
