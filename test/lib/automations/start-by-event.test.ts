import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Automation, Run } from '../../../lib/automations/automation.ts';
import { AutomationStore } from '../../../lib/automations/automation-store.ts';
import { openAutomation } from '../../../lib/automations/feed/start-by-event.ts';
import { fireDue } from '../../../lib/automations/fire-due.ts';
import { createAutomation, editAutomation } from '../../../lib/automations/write-automation.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { EventView } from '../../../lib/contract/schemas/event.ts';
import { EventFeed } from '../../../lib/events/event-feed.ts';
import { FeedReaders } from '../../../lib/events/feed-readers.ts';
import type { Cause } from '../../../lib/jobs/lifecycle/cause.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { toldOf } from '../../../lib/platform/event-rows.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { aJob } from '../jobs/a-job.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');

let deployment: EmulatedDeployment;
let automations: AutomationStore;
let now = START;
beforeAll(async () => {
  deployment = await emulateDeployment();
  automations = new AutomationStore(deployment.registry);
  await deployment.profiles.put({ name: 'codex', agent: 'codex' });
});
afterAll(async () => await deployment.stop());

const context = () => {
  const clock = { now: () => now };
  const readers = new FeedReaders({
    ...deployment.registry,
    clock,
    feed: new EventFeed({ ...deployment.registry, clock }),
  });
  return { ...deployment, automations, clock, readers };
};
const owner = { name: 'token:ci' };

async function onSuccess(): Promise<Automation> {
  now = START;
  const creation = {
    name: `on ${randomBytes(4).toString('hex')}`,
    trigger: { event: { types: ['job.succeeded' as const] } },
    job: { prompt: 'Review {{event.job_id}}', profile: 'codex' },
  };
  return await createAutomation(context(), creation, { owner, dryRun: false });
}

/** A job that something brought about, as it is stored. */
async function jobOf(cause: Cause): Promise<Job> {
  const job = aJob({ id: jobIdOfKey(randomBytes(8).toString('hex')), cause, status: 'SUCCEEDED' });
  await deployment.jobs.create(job);
  return job;
}

let packets = 0;
function successOf(job: Pick<Job, 'id'>, more: Partial<EventView> = {}): EventView {
  packets += 1;
  const subject = { kind: 'worker', id: '', name: '', why: null } as const;
  const base = toldOf({ type: 'deployment.succeeded', time: timestamp(now + 1_000), job_id: job.id, subject });
  return { ...base, id: `${packets}-1`, type: 'job.succeeded', subject: null, ...more };
}
async function take({ id }: Automation, event: EventView, over: object = {}): Promise<void> {
  const consumer = await openAutomation({ ...context(), ...over }, id);
  if (consumer?.passes(event) === true) await consumer.take(event);
}
const runsOf = async (automation: Automation): Promise<Run[]> => (await automations.runs(automation, 50)).runs;

describe('an event', () => {
  it('starts one job, however often and by however many processes it is taken', async () => {
    const automation = await onSuccess();
    const [first, second] = [successOf(await jobOf({ kind: 'client' })), successOf(await jobOf({ kind: 'client' }))];
    await Promise.all(Array.from({ length: 4 }, async () => await take(automation, first)));
    await take(automation, second);
    await take(automation, first);
    const runs = await runsOf(automation);
    expect(runs.map(({ outcome, event }) => [outcome, event?.view.id])).toEqual([
      ['fired', second.id],
      ['fired', first.id],
    ]);
    const started = await deployment.jobs.get(runs[1]?.job_id ?? '', { consistent: true });
    expect(started?.cause).toEqual({
      ...{ kind: 'event', automation: automation.id, made: automation.made },
      ...{ event: first.id, job: first.job_id, depth: 1 },
    });
  });

  it('starts its job although the process that decided has died', async () => {
    const automation = await onSuccess();
    const event = successOf(await jobOf({ kind: 'client' }));
    const dying = { texts: { ...deployment.texts, put: () => Promise.reject(new Error('the process died')) } };
    await expect(take(automation, event, dying)).rejects.toThrow('the process died');
    const [run] = await runsOf(automation);
    expect(await deployment.jobs.get(run?.job_id ?? '', { consistent: true })).toBeUndefined();
    now += 60_000;
    await fireDue(context());
    await take(automation, event);
    expect(await deployment.jobs.get(run?.job_id ?? '', { consistent: true })).toMatchObject({ status: 'QUEUED' });
    expect(await runsOf(automation)).toHaveLength(1);
  });

  it('of before it was enabled again starts none', async () => {
    const automation = await onSuccess();
    const early = successOf(await jobOf({ kind: 'client' }));
    await editAutomation(context(), automation.id, { enabled: false }, { owner, dryRun: false });
    await take(automation, successOf(await jobOf({ kind: 'client' })));
    now += 60_000;
    await editAutomation(context(), automation.id, { enabled: true }, { owner, dryRun: false });
    await take(automation, early);
    expect(await runsOf(automation)).toEqual([]);
    await take(automation, successOf(await jobOf({ kind: 'client' })));
    expect(await runsOf(automation)).toHaveLength(1);
  });

  it('ends a chain that is too long, or that comes back to an automation, also by a follow-up job', async () => {
    let last: Pick<Job, 'id'> = await jobOf({ kind: 'client' });
    const depths: (number | undefined)[] = [];
    const chain: Automation[] = [];
    for (let step = 0; step <= LIMITS.automations.eventDepth; step += 1) {
      const automation = await onSuccess();
      await take(automation, successOf(last));
      const [run] = await runsOf(automation);
      const started =
        run?.outcome === 'fired' ? await deployment.jobs.get(run.job_id ?? '', { consistent: true }) : undefined;
      depths.push(started?.cause.kind === 'event' ? started.cause.depth : undefined);
      if (started === undefined) expect(run).toMatchObject({ outcome: 'skipped', reason: 'too_deep' });
      else last = await jobOf({ kind: 'follow_up', job: started.id, attempt: 1, position: 0 });
      chain.push(automation);
    }
    expect(depths).toEqual([1, 2, 3, 4, 5, undefined]);
    for (const automation of chain.slice(0, 5)) {
      await take(automation, successOf(last));
      expect((await runsOf(automation)).find(({ outcome }) => outcome === 'skipped')).toMatchObject({
        reason: 'circle',
      });
    }
  });
});
