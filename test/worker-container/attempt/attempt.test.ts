import { getEventListeners } from 'node:events';
import { Logger } from '@aws-lambda-powertools/logger';
import { expect, it } from 'vitest';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { OlderCliError } from '../../../worker-container/agent-sessions/session-origin.ts';
import { runAttempt } from '../../../worker-container/attempt/attempt.ts';
import type { AttemptContext } from '../../../worker-container/attempt/attempt-context.ts';
import type { runAgent } from '../../../worker-container/attempt/attempt-run.ts';
import type { Ending } from '../../../worker-container/commands/ending.ts';
import {
  AgentNotStartedError,
  CancelledBeforeStartError,
} from '../../../worker-container/commands/not-started-error.ts';
import { SettingsUnreadError } from '../../../worker-container/secrets/transient-error.ts';
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
  /** What became of the attempt's folder, and what was logged as an error. */
  readonly done: readonly string[];
  readonly heard: readonly string[];
  readonly mask: (key: string, value: unknown) => unknown;
}

const MESSAGE = 'msg_00000000000000000000000001';

/** An attempt whose agent runs until `act` has been asked, or longer. @param fails what its start throws. */
async function attempt({
  stopped = false,
  fails,
  disposal,
  gets = [MESSAGE],
  stored = {},
}: {
  stopped?: boolean;
  fails?: Error;
  disposal?: Error;
  /** Messages that its session gets. */
  gets?: readonly string[];
  stored?: Partial<Job>;
} = {}): Promise<Run> {
  const deployment = quietDeployment();
  const job = await deployment.store(aRunningJob(stored));
  await deployment.dispatchQueues.send(job);
  const held = await deployment.dispatchQueues.receive('normal', 0);
  if (held === undefined) throw new Error('there is no message');
  const stopping = new AbortController();
  if (stopped) stopping.abort();
  let isDisposed = false;
  const begun = Promise.withResolvers<Ending>();
  const heard: string[] = [];
  const agent: typeof runAgent = async (_context, _job, { ending, seen, watched }) => {
    for (const id of gets) seen.add(id);
    for (const type of ['watched', 'unwatched']) watched.addEventListener(type, () => heard.push(type));
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
  const done: string[] = [];
  const folder = {
    make: async (path: string) => path,
    remove: async (path: string) => void done.push(`removed ${path}`),
  };
  let mask: Run['mask'] = (_key, value) => value;
  const createChild = ({ jsonReplacerFn }: { jsonReplacerFn: Run['mask'] }) => {
    mask = jsonReplacerFn;
    return Object.assign(new Logger({ logLevel: 'SILENT' }), { error: (text: string) => void done.push(text) });
  };
  const context = {
    ...deployment,
    ...{ env: { ...ENV, PROMPTQ_PRACTICE_KEY: 'a-key-of-the-vendor' }, workerId: 'worker-1', markPrefix: '' },
    log: { createChild },
    onShortage: () => void heard.push('shortage'),
    timing: { now: () => time.now, schedule: (run: () => void, delay: number) => time.schedule(run, delay) },
    machine: { folder, runAgent: agent },
  } as unknown as AttemptContext;
  const ended = runAttempt(context, job, held, stopping.signal);
  const run = { deployment, job, ending: await begun.promise, ended, stopping, done, heard };
  return { ...run, isDisposed: () => isDisposed, mask: (key, value) => mask(key, value) };
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

it('an attempt that ends leaves neither its folder nor a listener behind', async () => {
  const run = await attempt();
  expect(getEventListeners(run.stopping.signal, 'abort')).toHaveLength(1);
  run.ending.request('cancelled');
  await run.ended;
  expect(run.done).toEqual([`removed /work/attempts/${run.job.id}`]);
  expect(getEventListeners(run.stopping.signal, 'abort')).toEqual([]);
});

it('the logs of an attempt hold no secret', async () => {
  const run = await attempt();
  expect(run.mask('text', 'it is a-key-of-the-vendor')).toBe('it is ***');
  expect(run.mask('count', 7)).toBe(7);
  run.ending.request('cancelled');
  await run.ended;
});

it('an agent hears whether its job has a live view', async () => {
  const run = await attempt({ stored: { watched_until: '2026-11-20T10:00:03.000Z' } });
  await run.deployment.pass(5_000);
  expect(run.heard).toEqual(['watched', 'unwatched']);
  run.ending.request('cancelled');
  await run.ended;
});

it('an attempt that fails says why, and holds no more than there was', async () => {
  const run = await attempt({ fails: new Error('the disk failed'), gets: [] });
  run.ending.request('output_failed');
  expect(await run.ended).toMatchObject({ status: 'FAILED', error: 'the disk failed' });
  const receipt = await run.deployment.readReceipt(run.job.id, 1);
  expect([receipt?.messages, receipt?.warnings, receipt?.attachments]).toEqual([undefined, undefined, undefined]);
  expect(run.done[0]).toBe('the attempt failed to run');
});

const KEPT = { attachments: [{ path: 'setup.log', bytes: 4, sha256: '' }], warnings: ['setup: it failed'] };

it('an agent that was not started leaves what its preparation did', async () => {
  const run = await attempt({ fails: new AgentNotStartedError(new Error('the setup failed'), KEPT) });
  run.ending.request('output_failed');
  expect(await run.ended).toMatchObject({ status: 'FAILED', error: 'the setup failed' });
  expect(await run.deployment.readReceipt(run.job.id, 1)).toMatchObject({
    ...{ attachments: { count: 1, bytes: 4 }, warnings: KEPT.warnings },
  });
});

it.each([
  { reason: 'cancelled', ends: { status: 'CANCELLED', reason: 'cancelled_by_request' } },
  { reason: 'stopping', ends: { status: 'QUEUED', reason: 'waiting_for_worker' } },
] as const)('an attempt that is $reason before its agent starts ends as that, without an error', async (given) => {
  const { reason, ends } = given;
  const run = await attempt({ fails: new AgentNotStartedError(new CancelledBeforeStartError(), KEPT) });
  run.ending.request(reason);
  expect(await run.ended).toMatchObject(ends);
  expect(run.done).toEqual([expect.stringMatching(/^removed/)]);
});

const failed = (code: string) => Object.assign(new Error(`spawn ${code}`), { code });

it.each<[fails: Error, heard: readonly string[]]>([
  [new SettingsUnreadError('the table is busy'), []],
  [failed('ENOSPC'), []],
  ...['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'].map((code): [Error, string[]] => [
    new Error("can't start codex", { cause: failed(code) }),
    ['shortage'],
  ]),
])('an attempt that another worker may be able to start is handed back: %s', async (fails, heard) => {
  const run = await attempt({ fails });
  run.ending.request('output_failed');
  expect(await run.ended).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker' });
  expect(run.heard).toEqual(heard);
});

it('an attempt whose program is missing is not handed back', async () => {
  const run = await attempt({ fails: new Error("can't start codex", { cause: failed('ENOENT') }) });
  run.ending.request('output_failed');
  expect(await run.ended).toMatchObject({ status: 'FAILED', reason: 'start_failed' });
  expect(run.heard).toEqual([]);
});
