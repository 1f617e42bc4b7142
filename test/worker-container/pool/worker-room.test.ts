import { expect, it } from 'vitest';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { Worker } from '../../../worker-container/pool/worker.ts';
import { SettingsUnreadError } from '../../../worker-container/secrets/transient-error.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { workerContext } from './a-worker.ts';

/** Runs a worker with one slot until `draining` is aborted. */
async function run(changes: object, draining: AbortController, deployment = quietDeployment()): Promise<void> {
  const context = workerContext(deployment, changes);
  await new Worker(context, { draining: draining.signal, stopping: new AbortController().signal }).run(1);
}

it('a disk that stays full for a minute is reported, so that the worker leaves, and one that had room between is not', async () => {
  const draining = new AbortController();
  let [now, received, probes] = [0, 0, 0];
  const timing = {
    now: () => now,
    schedule: (resume: () => void, milliseconds: number) => {
      now += milliseconds;
      setImmediate(resume);
      return () => undefined;
    },
  };
  const next = async () => {
    received += 1;
    now += 5_000;
    return undefined;
  };
  const probeDisk = async () => {
    probes += 1;
    if (now > 200_000 || probes > 50) draining.abort();
    if (now !== 50_000) throw new Error('it is full');
  };
  const reported: [string, number][] = [];
  const onUnfit = (why: string) => {
    reported.push([why, now]);
    draining.abort();
  };
  await run({ probeDisk, onUnfit, timing, source: { next } }, draining);
  expect([reported, received]).toEqual([[['the disk of the work folder stays full', 55_000 + 60_000]], 1]);
});

it('a worker that can start no process for a minute is reported, one that could between is not', async () => {
  const deployment = quietDeployment();
  const draining = new AbortController();
  const { id: job } = await createJob(deployment, { prompt: 'true', profile: 'codex' }, 'token:test');
  const message = { v: 1, band: 'normal', project: 'local_project', job } as const;
  let now = 0;
  const schedule = (resume: () => void, milliseconds: number) => {
    if (milliseconds !== 5_000) return () => undefined;
    now += milliseconds;
    setImmediate(resume);
    return () => undefined;
  };
  const startedAt: number[] = [];
  const runAgent = async () => {
    startedAt.push(now);
    if (now > 200_000) draining.abort();
    // It says nothing of the machine's processes.
    if (now === 20_000) throw new SettingsUnreadError('the table is busy');
    const cause = Object.assign(new Error('spawn codex EMFILE'), { code: 'EMFILE' });
    throw new Error("can't start codex", { cause });
  };
  const reported: [string, number][] = [];
  const onUnfit = (why: string) => {
    reported.push([why, now]);
    draining.abort();
  };
  const machine = { folder: { make: async () => '/attempt', remove: async () => undefined }, runAgent };
  const source = { next: async () => ({ message, handle: 'h', receives: 1 }) };
  await run({ machine, onUnfit, source, timing: { now: () => now, schedule } }, draining, deployment);
  expect(startedAt.slice(0, 3)).toEqual([0, 5_000, 10_000]);
  expect(reported).toEqual([['no process can be started', 25_000 + 60_000]]);
});
