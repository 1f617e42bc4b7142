import { randomBytes } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TokenStore } from '../../../lib/access/tokens/token-store.ts';
import type { Automation, Run } from '../../../lib/automations/automation.ts';
import { AutomationStore } from '../../../lib/automations/automation-store.ts';
import { fireDue } from '../../../lib/automations/fire-due.ts';
import { viewAutomation } from '../../../lib/automations/view-automation.ts';
import { createAutomation, deleteAutomation, editAutomation } from '../../../lib/automations/write-automation.ts';
import type { AutomationCreation } from '../../../lib/contract/schemas/automation.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let deployment: EmulatedDeployment;
let automations: AutomationStore;
let now: number;
let made: Automation | undefined;
beforeAll(async () => {
  deployment = await emulateDeployment();
  automations = new AutomationStore(deployment.registry);
  await deployment.profiles.put({ name: 'shell', agent: 'shell' });
});
afterAll(async () => await deployment.stop());
beforeEach(async () => {
  if (made !== undefined) await deleteAutomation({ automations }, made.id).catch(() => undefined);
  now = START;
});

const context = () => ({ ...deployment, automations, clock: { now: () => now } });
const owner = { name: 'token:ci' };

async function hourly(more: Partial<AutomationCreation> = {}): Promise<Automation> {
  const creation: AutomationCreation = {
    name: `hourly ${randomBytes(4).toString('hex')}`,
    trigger: { schedule: { cron: '0 * * * *' } },
    job: { prompt: 'echo {{due_at}} {{last_success_at}} {{{due_at}}} {{toString}}', profile: 'shell' },
    ...more,
  };
  made = await createAutomation(context(), creation, { owner, dryRun: false });
  return made;
}
const edit = async (id: string, fields: Parameters<typeof editAutomation>[2]) =>
  await editAutomation(context(), id, fields, { owner, dryRun: false });
/** The minute's pass at a time, from the start. */
const passAt = async (at: number) => {
  now = START + at;
  await fireDue(context());
};
const historyOf = async (automation: Automation) => (await automations.runs(automation, 500)).runs.toReversed();
const brief = ({ due, last_due, count, outcome, reason }: Run) =>
  [due.slice(11, 16), last_due?.slice(11, 16), count, outcome, reason].filter((part) => part !== undefined).join(' ');
const historyInBrief = async (automation: Automation) => (await historyOf(automation)).map(brief);
const jobOf = async ({ job_id = '' }: Run) => (await deployment.jobs.get(job_id, { consistent: true })) as Job;
const viewed = async (automation: Automation) =>
  await viewAutomation(context(), (await automations.get(automation.id)) ?? automation);
/** Ends a job as a worker would have ended it. */
async function end(job: Job, status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED'): Promise<void> {
  const known = (await deployment.jobs.get(job.id, { consistent: true })) ?? job;
  const finished_at = timestamp(now);
  const ended = { ...known, status, reason: 'exited', finished_at, version: known.version + 1 } as const;
  expect((await deployment.jobs.apply(known, ended)).applied).toBe(true);
}
/** Fires at an hour, and ends the job. */
async function hourEnding(automation: Automation, hour: number, status: 'SUCCEEDED' | 'FAILED'): Promise<void> {
  await passAt(hour * HOUR);
  const last = (await historyOf(automation)).at(-1);
  if (last?.outcome === 'fired') await end(await jobOf(last), status);
}

describe('a due instant', () => {
  it('fires once, however many passes evaluate it at once, in the name of the owner and with its values', async () => {
    const automation = await hourly({ project: 'scheduled' });
    await passAt(59 * MINUTE);
    expect(await historyOf(automation)).toEqual([]);
    await hourEnding(automation, 1, 'SUCCEEDED');
    now = START + 2 * HOUR + 30_000;
    await Promise.all(Array.from({ length: 5 }, async () => await fireDue(context())));
    expect(await historyInBrief(automation)).toEqual(['11:00 fired', '12:00 fired']);
    const [, second] = await historyOf(automation);
    expect(second?.late_seconds).toBe(30);
    const job = await jobOf(second as Run);
    expect(job).toMatchObject({ created_by: owner.name, project: 'scheduled', status: 'QUEUED', profile: 'shell' });
    const due = timestamp(START + 2 * HOUR);
    expect((await deployment.texts.get(job)).prompt).toBe(
      `echo ${due} ${timestamp(START + HOUR)} {${due}} {{toString}}`,
    );
  });

  it('is not decided for another automation that has meanwhile got the name', async () => {
    const before = await hourly();
    await deleteAutomation({ automations }, before.id);
    const after = await hourly({ name: before.name });
    expect(after.version).toBe(before.version);
    expect(await automations.replace(before, { ...before, failures: 1 })).toBeUndefined();
    expect(await automations.delete(before)).toBe(false);
    expect(await automations.get(after.id)).toEqual(after);
  });

  it('costs one request while none is due', async () => {
    await hourly();
    await passAt(0);
    const sent: unknown[] = [];
    const table = {
      send: async (command: QueryCommand) => sent.push(command) && (await deployment.table.send(command)),
    };
    const counted = new AutomationStore({ ...deployment.registry, table: table as never });
    await fireDue({ ...context(), automations: counted });
    expect(sent).toEqual([expect.any(QueryCommand)]);
  });

  it.each([
    ['skip', ['11:00 fired', '12:00 skipped still_running', '13:00 skipped still_running', '14:00 fired']],
    ['queue', ['11:00 fired', '12:00 fired', '13:00 skipped queue_full', '14:00 fired']],
    ['replace', ['11:00 fired', '12:00 fired', '13:00 fired', '14:00 fired']],
  ] as const)('while the last job has not ended: %s', async (overlap, expected) => {
    const automation = await hourly({ overlap });
    for (const hour of [1, 2, 3]) await passAt(hour * HOUR);
    const [first] = await historyOf(automation);
    const job = await jobOf(first as Run);
    if (overlap === 'replace') expect(job.status).toBe('CANCELLED');
    else await end(job, 'SUCCEEDED');
    await passAt(4 * HOUR);
    expect(await historyInBrief(automation)).toEqual(expected);
  });

  it.each([
    ['skip', ['11:00 fired', '12:00 15:00 4 skipped missed', '16:00 fired']],
    ['latest', ['11:00 fired', '12:00 14:00 3 skipped missed', '15:00 fired', '16:00 fired']],
    ['all', ['11:00 fired', '12:00 fired', '13:00 fired', '14:00 fired', '15:00 fired', '16:00 fired']],
  ] as const)('that was missed, with overlap replaced: %s', async (missed, expected) => {
    const automation = await hourly({ missed, overlap: 'replace' });
    await passAt(HOUR);
    await passAt(5 * HOUR + 10 * MINUTE);
    await passAt(6 * HOUR);
    expect(await historyInBrief(automation)).toEqual(
      missed === 'skip'
        ? ['11:00 fired', '12:00 14:00 3 skipped missed', '15:00 skipped missed', '16:00 fired']
        : expected,
    );
  });

  it('is made up for 100 times at most; the rest is one entry with their number', async () => {
    const automation = await hourly({ missed: 'all', trigger: { schedule: { every: '1m' } } });
    await passAt(40 * HOUR + 10_000);
    await fireDue(context());
    const runs = await historyOf(automation);
    const skipped = runs.filter(({ outcome }) => outcome === 'skipped');
    expect(skipped.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(40 * 60 - 99);
    expect(runs.length - skipped.length).toBe(99);
    // The last one is on time, so that `overlap` applies to it.
    expect(skipped.map(({ reason }) => reason)).toEqual(['missed', 'missed', 'missed', 'still_running']);
  });

  it('of a pass that died after deciding is created by the next pass', async () => {
    const automation = await hourly();
    now = START + HOUR;
    expect(await viewed(automation)).toMatchObject({
      state: 'active',
      state_reason: 'It is due, and waits for the pass that runs every minute.',
    });
    const dying = { ...context(), texts: { put: () => Promise.reject(new Error('the process died')) } as never };
    await fireDue(dying);
    const [run] = await historyOf(automation);
    expect(await jobOf(run as Run)).toBeUndefined();
    expect((await viewed(automation)).state_reason).toBe('Its job is being created.');
    await passAt(HOUR + MINUTE);
    expect(await jobOf(run as Run)).toMatchObject({ status: 'QUEUED' });
    expect(await historyInBrief(automation)).toEqual(['11:00 fired']);
    expect((await viewed(automation)).state_reason).toBeNull();
  });

  it('whose job cannot be created is a failed run that says why', async () => {
    const automation = await hourly();
    await passAt(HOUR);
    await automations.replace(await automations.get(automation.id), {
      ...((await automations.get(automation.id)) as Automation),
      job: { prompt: 'x', profile: 'was-deleted' },
      jobs: [],
    });
    await passAt(2 * HOUR);
    expect((await viewed(automation)).last_run).toMatchObject({
      outcome: 'failed',
      reason: { code: 'not_created', message: expect.stringContaining('was-deleted') },
      job_id: null,
    });
  });
});

it('that a pass has no time for is left to another one, and the pass says so', async () => {
  const automation = await hourly();
  now = START + HOUR;
  const slow = { ...context(), clock: { now: () => (now += 41_000) } };
  expect(await fireDue(slow)).toBe(false);
  expect(await historyOf(automation)).toEqual([]);
  expect(await fireDue(context())).toBe(true);
  expect(await historyInBrief(automation)).toEqual(['11:00 fired']);
});

describe('an automation pauses', () => {
  it('after so many failures in a row, and continues from now when it is enabled', async () => {
    const automation = await hourly({ pause_after_failures: 2 });
    await hourEnding(automation, 1, 'FAILED');
    await hourEnding(automation, 2, 'SUCCEEDED');
    await hourEnding(automation, 3, 'FAILED');
    expect((await viewed(automation)).failures_in_row).toBe(1);
    for (const hour of [4, 5, 6]) await hourEnding(automation, hour, 'FAILED');
    expect((await historyInBrief(automation)).slice(3)).toEqual(['14:00 fired', '15:00 skipped paused_failures']);
    expect(await viewed(automation)).toMatchObject({ state: 'paused', next_runs: [], failures_in_row: 2 });
    now = START + 8 * HOUR + 30 * MINUTE;
    await edit(automation.id, { enabled: true });
    await passAt(8 * HOUR + 40 * MINUTE);
    await passAt(9 * HOUR);
    expect((await historyInBrief(automation)).slice(5)).toEqual(['19:00 fired']);
  });

  it('when the token of its owner no longer works, and says so', async () => {
    const tokens = new TokenStore({ ...deployment.registry, clock: deployment.clock });
    const token = await tokens.create({ name: 'leaver', scopes: ['write'] });
    const automation = await hourly();
    const leaver = { name: 'token:leaver', token_id: token.id };
    await editAutomation(context(), automation.id, { overlap: 'replace' }, { owner: leaver, dryRun: false });
    await passAt(HOUR);
    await tokens.setState(token.id, 'revoked');
    await passAt(2 * HOUR);
    expect(await historyInBrief(automation)).toEqual(['11:00 fired', '12:00 skipped paused_owner']);
    expect(await viewed(automation)).toMatchObject({
      state: 'paused',
      state_reason: expect.stringContaining('token:leaver'),
    });
  });
});

it('instants that time zone data moved are computed again', async () => {
  const automation = await hourly();
  const known = (await automations.get(automation.id)) as Automation;
  // As by the rules of the day before.
  await automations.replace(known, { ...known, next_due: timestamp(START + 90 * MINUTE) });
  await fireDue(context(), 'newer data');
  await passAt(HOUR);
  expect(await historyInBrief(automation)).toEqual(['11:00 fired']);
});
