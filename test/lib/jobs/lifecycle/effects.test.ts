import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import type { Effect } from '../../../../lib/jobs/lifecycle/effect.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { aJob, aRunningJob } from '../a-job.ts';
import { due } from '../due-effects.ts';
import { AT, next, refusal } from './decided.ts';

const success = aJob({ status: 'SUCCEEDED', reason: 'exited', attempt: 2, finished_at: '2026-11-20T10:00:05.000Z' });
const step = (effect: Effect, what: Extract<JobEvent, { type: 'effect' }>['step']) =>
  ({ type: 'effect', effect, step: what }) as const;
const only = ({ effects = [] }: Job): Effect => effects[0] ?? { name: 'none', since: '' };

describe('the end of a job lists', () => {
  it.each<[string, Partial<Job>, readonly string[]]>([
    ['nothing', {}, []],
    ['its messages', { messages: 1 }, ['messages']],
    ['its thread', { thread_id: 'job_first' }, ['thread']],
    ['the thread that it was to fork', { forked_from: 'job_first', messages: 1 }, ['thread', 'messages']],
  ])('%s', (_what, job, names) => {
    const ended = next(aJob(job), { type: 'cancel' });
    expect(ended.effects?.map(({ name, since }) => [name, since]) ?? []).toEqual(names.map((name) => [name, AT]));
  });

  it('what a retry cancels, but not what follows an attempt', () => {
    const ended = { ...success, effects: due({ thread: 'end', follow_ups: [1], messages: 'end', commands: [2] }) };
    expect(next(ended, { type: 'retry' }).effects).toEqual(due({ follow_ups: [1], commands: [2] }));
    expect(next({ ...ended, effects: due({ messages: 'end' }) }, { type: 'retry' })).not.toHaveProperty('effects');
  });
});

describe('an effect', () => {
  const job: Job = { ...success, effects: due({ messages: 'end', follow_ups: [1] }) };

  it('is tried after growing pauses, of at most 15 minutes', () => {
    let tried: Job = { ...success, effects: due({ messages: 'end' }) };
    const pauses = Array.from({ length: 6 }, () => {
      tried = next(tried, step(only(tried), 'begun'));
      return Date.parse(only(tried).due_at ?? '') - Date.parse(AT);
    });
    expect(pauses).toEqual([60_000, 120_000, 240_000, 480_000, 900_000, 900_000]);
    expect(only(tried)).toMatchObject({ tries: 6 });
    const failed = next(tried, step(only(tried), 'failed'));
    expect(only(failed)).toMatchObject({ tries: 6, failures: 1, due_at: only(tried).due_at });
    expect(only(next(failed, step(only(failed), 'begun')))).toMatchObject({ tries: 7, failures: 1 });
  });

  it('is done, or checked again later, without its tries', () => {
    const [messages, followUps] = due({ messages: 'end', follow_ups: [1] });
    if (messages === undefined || followUps === undefined) throw new Error('none is due');
    expect(next(job, step(messages, 'done'))).toEqual({ ...success, effects: [followUps], updated_at: AT });
    const tried = next(job, step(messages, 'begun'));
    const checkAt = '2026-11-20T12:00:00.000Z';
    expect(next(tried, step(messages, { checkAt })).effects).toEqual([followUps, { ...messages, due_at: checkAt }]);
  });

  it('of an earlier end is neither done nor begun', () => {
    const earlier = { name: 'messages', since: '1999-01-01T00:00:00.000Z' } as const;
    expect(next(job, step(earlier, 'done'))).toBe(job);
    expect(refusal(job, step(earlier, 'begun'))).toBe('messages is not due');
  });

  it('puts its job where reconcilers look, by the time when it is due', () => {
    const keys = { ready_key: 'effects', ready_order: only(job).since };
    expect(indexKeys(job)).toMatchObject(keys);
    const begun = next({ ...success, effects: due({ messages: 'end' }) }, step(only(job), 'begun'));
    expect(indexKeys(begun)).toMatchObject({ ready_key: 'effects', ready_order: only(begun).due_at });
    expect(indexKeys({ ...job, status: 'RUNNING' })).not.toHaveProperty('ready_key');
  });
});

describe('a system job', () => {
  const cause = { kind: 'system', name: 'deploy', job: 'job_a', attempt: 1, key: '1 app.site' } as const;

  it('runs at most once, and only its own effect follows from its end', () => {
    const job = aRunningJob({ cause, lease_until: '2026-11-20T09:00:00.000Z', thread_id: 'job_a', turn: 0 });
    for (const forgiven of [true, false]) {
      const lost = next(job, { type: 'lose', forgiven });
      expect(lost).toMatchObject({ status: 'FAILED', reason: 'worker_lost', effects: [{ name: 'deployed' }] });
    }
  });

  it('is in partitions that clients do not list', () => {
    expect(indexKeys(aJob({ cause }))).toMatchObject({
      list_key: expect.stringMatching(/^system#/),
      status_key: expect.stringMatching(/^system-QUEUED#/),
    });
  });
});

describe('deployments of a success', () => {
  const deploy = (attempt = 2): JobEvent => ({ type: 'deploy', attempt, by: 'commands' });
  const failure = { ...success, status: 'FAILED' } as const;

  it('are pending until they are done', () => {
    const pending = next({ ...success, effects: due({ commands: [1] }) }, deploy());
    expect(pending).toMatchObject({
      effects: [...due({ commands: [1] }), { name: 'commands', attempt: 2, since: AT }],
    });
    const [first] = due({ commands: [1] });
    const one = next({ ...success, effects: due({ commands: [1] }) }, step(first ?? only(success), 'done'));
    expect(one).toEqual({ ...success, updated_at: AT });
  });

  it('that are retried are not done with those before', () => {
    const pending: Job = { ...success, effects: due({ commands: [2] }) };
    const again = next(pending, deploy());
    expect(next(again, step(only(pending), 'done'))).toBe(again);
  });

  it.each<[string, Job, JobEvent, string]>([
    ['of a failure', failure, deploy(), 'only a SUCCEEDED job'],
    ['of an earlier attempt', success, deploy(1), 'attempt 2 has taken over'],
    ['of a job that is being removed', { ...success, removing: true }, deploy(), 'being removed'],
  ])('are not begun %s', (_what, job, event, why) => {
    expect(refusal(job, event)).toContain(why);
  });
});

describe('a message', () => {
  const message: JobEvent = { type: 'message' };

  it('is counted while its job waits or runs', () => {
    for (const job of [aJob(), aRunningJob()])
      expect(next(next(job, message), message)).toEqual({ ...job, messages: 2, updated_at: AT });
    expect(next(aJob({ messages: LIMITS.messages.perJob - 1 }), message)).toMatchObject({ updated_at: AT });
  });

  it.each<[string, Job, string]>([
    ['a draft', aJob({ status: 'DRAFT', reason: 'draft' }), 'only a QUEUED or RUNNING job'],
    ['a job that has ended', success, 'only a QUEUED or RUNNING job'],
    ['a job that is being cancelled', aRunningJob({ cancel_requested_at: AT }), 'being cancelled'],
    ['a job that has had many', aJob({ messages: LIMITS.messages.perJob }), 'at most'],
  ])('is not sent to %s', (_what, job, why) => {
    expect(refusal(job, message)).toContain(why);
  });
});

describe('a job is removed', () => {
  const remove: JobEvent = { type: 'remove', endedBefore: '2026-11-20T10:00:06.000Z' };

  it('once it ended long ago', () => {
    const removing = next(success, remove);
    expect(removing).toEqual({ ...success, removing: true });
    expect(next(removing, remove)).toBe(removing);
  });

  it.each<[string, Job, string]>([
    ['has ended since', { ...success, finished_at: '2026-11-20T10:00:06.000Z' }, 'is kept'],
    ['has ended at an unknown time', { ...success, finished_at: undefined }, 'is kept'],
    ['runs', aRunningJob({ finished_at: '2026-11-20T10:00:05.000Z' }), 'is kept'],
    ['has effects left', { ...success, effects: due({ thread: 'end' }) }, 'not done yet'],
  ])('unless it %s', (_what, job, why) => {
    expect(refusal(job, remove)).toContain(why);
  });

  it('and then neither retried nor deployed', () => {
    const removing = { ...success, removing: true };
    for (const event of [{ type: 'retry' } as const, { type: 'deploy', attempt: 2, by: 'commands' } as const])
      expect(refusal(removing, event)).toBe('the job is being removed');
  });
});
