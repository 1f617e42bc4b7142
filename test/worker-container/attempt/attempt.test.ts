import { Logger } from '@aws-lambda-powertools/logger';
import { expect, it } from 'vitest';
import { OlderCliError } from '../../../worker-container/agent-sessions/session-origin.ts';
import type { Attempt, AttemptContext } from '../../../worker-container/attempt/attempt.ts';
import { runAttempt } from '../../../worker-container/attempt/run-attempt.ts';
import type { Ending } from '../../../worker-container/commands/ending.ts';
import { SettingsUnreadError } from '../../../worker-container/secrets/transient-error.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

/** An attempt whose agent can't be started: it waits until its end is requested, and then fails. */
async function attempt(fails: Error) {
  const deployment = quietDeployment();
  const job = await deployment.store(aRunningJob());
  await deployment.dispatchQueues.send(job);
  const held = await deployment.dispatchQueues.receive('normal', 0);
  if (held === undefined) throw new Error('there is no message');
  const begun = Promise.withResolvers<Ending>();
  const agent = async ({ ending }: Attempt) => {
    begun.resolve(ending);
    await ending.requested;
    throw fails;
  };
  const { time } = deployment;
  const shortages: number[] = [];
  let mask = (_key: string, value: unknown) => value;
  const createChild = ({ jsonReplacerFn }: { jsonReplacerFn: typeof mask }) => {
    mask = jsonReplacerFn;
    return new Logger({ logLevel: 'SILENT' });
  };
  const context = {
    ...deployment,
    ...{ env: { ...ENV, PROMPTQ_PRACTICE_KEY: 'a-key-of-the-vendor' }, workerId: 'worker-1', markPrefix: '' },
    log: { createChild },
    signals: { listen: () => () => undefined },
    onShortage: () => void shortages.push(time.now),
    timing: { now: () => time.now, schedule: (run: () => void, delay: number) => time.schedule(run, delay) },
    machine: { folder: { make: async (path: string) => path, remove: async () => undefined }, runAgent: agent },
  } as unknown as AttemptContext;
  const ended = runAttempt(context, job, held, new AbortController().signal);
  return { deployment, job, ended, shortages, mask, ending: await begun.promise };
}

it.for([['lost'], ['stopping'], ['timed_out', 'stopping']] as const)(
  'an attempt that fails while it is %s tells nothing',
  async (reasons) => {
    const run = await attempt(new Error('the disk is full'));
    for (const reason of reasons) run.ending.request(reason);
    expect(await run.ended).toBeUndefined();
    expect(await run.deployment.readReceipt(run.job.id, 1)).toBeUndefined();
    expect(await run.deployment.read(run.job)).toMatchObject({ status: 'RUNNING' });
  },
);

it('a worker whose CLI is too old for the session hands its job back, and says so', async () => {
  const run = await attempt(new OlderCliError({ cli_version: '2.0.0' }, { cli_version: '1.0.0' }));
  run.ending.request('cancelled');
  const ended = await run.ended;
  expect(ended).toMatchObject({ status: 'QUEUED', older_cli_since: expect.any(String) });
  expect(ended?.attempt_warnings).toEqual([expect.stringContaining('version 2.0.0 of the CLI made the session')]);
});

it('the logs of an attempt hold no secret', async () => {
  const run = await attempt(new Error('it failed'));
  expect(run.mask('text', 'it is a-key-of-the-vendor')).toBe('it is ***');
  expect(run.mask('count', 7)).toBe(7);
  run.ending.request('cancelled');
  await run.ended;
});

const failed = (code: string) => Object.assign(new Error(`spawn ${code}`), { code });

it.each<[fails: Error, shortages: number]>([
  [new SettingsUnreadError('the table is busy'), 0],
  [failed('ENOSPC'), 0],
  ...['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'].map((code): [Error, number] => [
    new Error("can't start codex", { cause: failed(code) }),
    1,
  ]),
])('an attempt that another worker may be able to start is handed back: %s', async (fails, shortages) => {
  const run = await attempt(fails);
  run.ending.request('output_failed');
  expect(await run.ended).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker' });
  expect(run.shortages).toHaveLength(shortages);
});

it('an attempt whose program is missing is not handed back', async () => {
  const run = await attempt(new Error("can't start codex", { cause: failed('ENOENT') }));
  run.ending.request('output_failed');
  expect(await run.ended).toMatchObject({ status: 'FAILED', reason: 'start_failed' });
  expect(run.shortages).toEqual([]);
});
