import { Logger } from '@aws-lambda-powertools/logger';
import { expect, it } from 'vitest';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { OlderCliError } from '../../../worker-container/agent-sessions/session-origin.ts';
import { runAttempt } from '../../../worker-container/attempt/attempt.ts';
import type { AttemptContext } from '../../../worker-container/attempt/attempt-context.ts';
import type { runAgent } from '../../../worker-container/attempt/attempt-run.ts';
import type { Ending } from '../../../worker-container/commands/ending.ts';
import { CancelledBeforeStartError } from '../../../worker-container/commands/not-started-error.ts';
import { aReceipt, aRunningJob } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const LEFT = aReceipt({ kind: 'succeeded', reason: 'exited' });
/** An agent that runs until it is asked to end. */
interface Run {
  readonly deployment: QuietDeployment;
  readonly job: Job;
  /** Of the attempt, while it runs. */
  readonly ending: Ending;
  readonly ended: Promise<Job | undefined>;
  readonly isDisposed: () => boolean;
  readonly stopping: AbortController;
}

const MESSAGE = 'msg_00000000000000000000000001';

/** An attempt whose agent runs until `act` has been asked, or longer. @param fails what its start throws. */
async function attempt({
  stopped = false,
  fails,
  disposal,
}: {
  stopped?: boolean;
  fails?: Error;
  disposal?: Error;
} = {}): Promise<Run> {
  const deployment = quietDeployment();
  const job = await deployment.store(aRunningJob());
  await deployment.dispatchQueues.send(job);
  const held = await deployment.dispatchQueues.receive('normal', 0);
  if (held === undefined) throw new Error('there is no message');
  const stopping = new AbortController();
  if (stopped) stopping.abort();
  let isDisposed = false;
  const begun = Promise.withResolvers<Ending>();
  const agent: typeof runAgent = async (_context, _job, { ending, seen }) => {
    seen.add(MESSAGE);
    begun.resolve(ending);
    const reason = await ending.requested;
    if (fails !== undefined) throw fails;
    const outcome =
      reason === 'stopping'
        ? ({ kind: 'handed_back', reason: 'waiting_for_worker' } as const)
        : ({ kind: 'cancelled', reason: 'cancelled_by_request' } as const);
    const record = { ...LEFT, outcome: { exit_code: null, signal: 'SIGTERM', ...outcome } };
    const dispose = async () => {
      isDisposed = true;
      if (disposal !== undefined) throw disposal;
    };
    return { record, sources: {}, dispose, attachments: [] } as unknown as Awaited<ReturnType<typeof runAgent>>;
  };
  const { time } = deployment;
  const context = {
    ...deployment,
    ...{ env: ENV, workerId: 'worker-1', markPrefix: '', log: new Logger({ logLevel: 'SILENT' }) },
    timing: { now: () => time.now, schedule: (run: () => void, delay: number) => time.schedule(run, delay) },
    machine: { folder: { make: async (path: string) => path, remove: async () => undefined }, runAgent: agent },
  } as unknown as AttemptContext;
  const ended = runAttempt(context, job, held, stopping.signal);
  return { deployment, job, ending: await begun.promise, ended, isDisposed: () => isDisposed, stopping };
}

/** Whether the queue still has the dispatch message, once every visibility timeout is over. */
async function permitsLeft({ deployment }: Run): Promise<number> {
  await deployment.pass(60_000);
  return (await deployment.dispatchQueues.receive('normal', 0)) === undefined ? 0 : 1;
}

it.each(['cancel', 'kill'] as const)('a %s is heard as what it is', async (type) => {
  const run = await attempt();
  await transition(run.deployment, run.job, { type });
  await run.deployment.pass(3_000);
  expect(run.ending.reason).toBe(type === 'kill' ? 'killed' : 'cancelled');
  expect(await run.ended).toMatchObject({ status: 'CANCELLED' });
  expect(run.isDisposed()).toBe(true);
  expect(await permitsLeft(run)).toBe(0);
});

it('its dispatch message stays in flight and its lease is extended while it runs, and not after', async () => {
  const run = await attempt();
  await run.deployment.pass(65_000);
  expect(await run.deployment.read(run.job)).toMatchObject({ lease_until: '2026-11-20T10:01:30.000Z' });
  expect(await run.deployment.dispatchQueues.receive('normal', 0)).toBeUndefined();
  run.ending.request('cancelled');
  await run.ended;
  const before = run.deployment.calls.length;
  await run.deployment.pass(60_000);
  expect(run.deployment.calls.slice(before)).toEqual([]);
});

it.each([false, true])('a worker that must go hands its job back (told before it began: %s)', async (stopped) => {
  const run = await attempt({ stopped });
  run.stopping.abort();
  expect(await run.ended).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker' });
  expect(run.ending.reason).toBe('stopping');
});

it.for([['lost'], ['stopping'], ['timed_out', 'stopping']] as const)(
  'an attempt that fails while it is %s tells nothing',
  async (reasons) => {
    const run = await attempt({ fails: new Error('the disk is full') });
    for (const reason of reasons) run.ending.request(reason);
    expect(await run.ended).toBeUndefined();
    expect(await run.deployment.readReceipt(run.job.id, 1)).toBeUndefined();
    expect(await run.deployment.read(run.job)).toMatchObject({ status: 'RUNNING' });
  },
);

it('an attempt whose local files are not removed keeps its outcome', async () => {
  const run = await attempt({ disposal: new Error('the disk failed') });
  run.ending.request('cancelled');
  expect(await run.ended).toMatchObject({ status: 'CANCELLED' });
  expect(await run.deployment.readReceipt(run.job.id, 1)).toMatchObject({ outcome: { kind: 'cancelled' } });
});

it('an attempt that lost its lease before its agent was started reports nothing', async () => {
  const run = await attempt({ fails: new CancelledBeforeStartError() });
  run.ending.request('lost');
  expect(await run.ended).toBeUndefined();
  expect(await run.deployment.readReceipt(run.job.id, 1)).toBeUndefined();
});

it('an attempt that fails is reported as failed', async () => {
  const run = await attempt({ fails: new Error('the disk is full') });
  run.ending.request('output_failed');
  expect(await run.ended).toMatchObject({ status: 'FAILED' });
});

it('a worker whose CLI is too old for the session hands its job back, and says so', async () => {
  const run = await attempt({ fails: new OlderCliError({ cli_version: '2.0.0' }, { cli_version: '1.0.0' }) });
  run.ending.request('cancelled');
  const ended = await run.ended;
  expect(ended).toMatchObject({ status: 'QUEUED', older_cli_since: expect.any(String) });
  expect(ended?.attempt_warnings).toEqual([expect.stringContaining('version 2.0.0 of the CLI made the session')]);
});

it('the receipt of an attempt that fails after its agent began has the messages that are in the session', async () => {
  const run = await attempt({ fails: new Error('its output could not be joined') });
  run.ending.request('output_failed');
  expect(await run.ended).toMatchObject({ status: 'FAILED' });
  expect(await run.deployment.readReceipt(run.job.id, 1)).toMatchObject({ messages: [MESSAGE] });
});
