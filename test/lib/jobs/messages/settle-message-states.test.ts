import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../../lib/contract/errors.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey, messageJobId } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { messageText } from '../../../../lib/jobs/messages/message-id.ts';
import { messagesSaved, noting } from '../../../../lib/jobs/messages/messages-in-session.ts';
import { settleMessages } from '../../../../lib/jobs/messages/settle-messages.ts';
import { viewMessage } from '../../../../lib/jobs/messages/view-messages.ts';
import type { Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import type { MessageRow } from '../../../../lib/jobs/store/job-messages.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aReceipt } from '../a-job.ts';

const ID = jobIdOfKey('job with messages');
const NEXT = messageJobId(ID, 'msg_1');

let deployment: QuietDeployment;
beforeEach(async () => {
  deployment = quietDeployment();
  await deployment.profiles.put({ name: 'practice', agent: 'codex' });
});

const aRow = (more: Partial<MessageRow> = {}): MessageRow => ({
  ...{ id: 'msg_1', number: 1, text: 'and now?', state: 'pending' },
  ...{ created_at: '2026-01-01T00:00:00.000Z', created_by: 'token:sender', ...more },
});
const rows = async () => await deployment.texts.messages.list(ID);

/** An ended job with these messages. */
async function ended(messages: readonly MessageRow[], more: Partial<Job> = {}): Promise<Job> {
  for (const row of messages) await deployment.table.send(new PutCommand(deployment.texts.messages.creation(ID, row)));
  const job = { id: ID, status: 'FAILED', attempt: 1, agent: 'codex', messages: messages.length } as const;
  const finished_at = timestamp(deployment.clock.now());
  return await deployment.store({ ...job, finished_at, messages_pending: true, ...more });
}
/** Settles; `receipts` has the attempts whose receipts were read. */
async function settle(job: Job, receipt?: Partial<Receipt>) {
  const receipts: number[] = [];
  const readReceipt = async (_: string, attempt: number) => {
    receipts.push(attempt);
    return receipt && aReceipt({ kind: 'failed', reason: 'exited' }, { job_id: ID, attempt, ...receipt });
  };
  const settled = await settleMessages({ ...deployment, readReceipt }, job);
  return { settled, receipts };
}

it.each<Partial<Job>>([{ messages_pending: undefined }, { status: 'QUEUED' }])(
  'messages of a job that has none to settle yet stay as they are: %o',
  async (more) => {
    const job = await ended([aRow()], more);
    expect((await settle(job)).settled).toBe(job);
    expect(await rows()).toEqual([aRow()]);
  },
);

describe('a message', () => {
  it.each(['pending', 'sent'])('that no attempt has delivered becomes the next turn: %s', async (state) => {
    const job = await ended([aRow({ state })], { priority: 4, token_id: 'tok_1' });
    const { settled } = await settle(job);
    expect(await rows()).toEqual([aRow({ state: 'not_delivered', reason: 'the job ended first', next_job_id: NEXT })]);
    expect(await deployment.read({ id: NEXT })).toMatchObject({
      ...{ continues: ID, thread_id: ID, turn: 2, after_any: true, prompt_preview: 'and now?' },
      ...{ priority: 4, created_by: 'token:sender', token_id: 'tok_1' },
    });
    expect(settled).toEqual(await deployment.read({ id: ID }));
    expect(settled).not.toHaveProperty('messages_pending');
  });

  it('that only this job was to get becomes none, nor does one of a job that was cancelled', async () => {
    await settle(await ended([aRow({ only_now: true })]));
    expect(await rows()).toEqual([aRow({ only_now: true, state: 'not_delivered', reason: 'the job ended first' })]);
    expect(await deployment.read({ id: NEXT })).toBeUndefined();
    deployment = quietDeployment();
    await settle(await ended([aRow()], { status: 'CANCELLED' }));
    expect(await rows()).toEqual([aRow({ state: 'not_delivered', reason: 'the job was cancelled' })]);
  });

  it('to what is now a script never names a next turn', async () => {
    const job = await ended([aRow()], { agent: 'shell' });
    deployment.calls.length = 0;
    await settle(job);
    const reason = 'the job was changed to run a script, which takes no messages';
    expect(await rows()).toEqual([aRow({ state: 'not_delivered', reason })]);
    expect(deployment.calls.filter((call) => call instanceof PutCommand && call.input.Item?.next_job_id)).toEqual([]);
  });

  it.each(['pending', 'sent'])('says whether its agent takes any while it runs: %s', async (state) => {
    await settle(await ended([aRow({ state })], { status: 'CANCELLED' }), { drive: 'exec' });
    expect((await rows())[0]?.reason).toBe('the job was cancelled');
    deployment = quietDeployment();
    await deployment.profiles.put({ name: 'practice', agent: 'codex' });
    await settle(await ended([aRow({ state })]), { drive: 'exec' });
    expect((await rows())[0]?.reason).toBe('the agent takes no messages while it runs, and the job ended');
  });

  it('that its attempt has delivered is so, and the receipt of each attempt is read once', async () => {
    const sent = { state: 'sent', attempt: 1, only_now: true } as const;
    const known = [aRow(sent), aRow({ id: 'msg_2', number: 2, ...sent }), aRow({ id: 'msg_3', number: 3, ...sent })];
    const { receipts } = await settle(await ended(known), { messages: ['msg_1', 'msg_3'] });
    expect((await rows()).map(({ state }) => state)).toEqual(['delivered', 'not_delivered', 'delivered']);
    expect((await rows())[0]?.delivered_at).toBe(timestamp(deployment.clock.now()));
    // For what became of all, and for those of the attempt.
    expect(receipts).toEqual([1, 1]);
  });

  it.each(['delivered', 'not_delivered', 'later'])(
    'that is settled stays so, and no receipt is read: %s',
    async (state) => {
      const { receipts } = await settle(await ended([aRow({ state })]));
      expect([await rows(), receipts]).toEqual([[aRow({ state })], []]);
    },
  );

  it('of a job that is gone is settled, and the job is as it was known', async () => {
    const job = await ended([aRow({ state: 'delivered' })]);
    await deployment.jobs.apply(job, { ...job, removing: true });
    await deployment.jobs.remove(ID);
    expect((await settle(job)).settled).toBe(job);
  });
});

describe('the next turn of a message', () => {
  const recorded = aRow({ state: 'not_delivered', reason: 'the job ended first', next_job_id: NEXT });

  it('that was created stays recorded, though it could not be created now', async () => {
    deployment = quietDeployment({ lag: 60_000 });
    const job = await ended([recorded]);
    await deployment.store({ id: NEXT });
    await settle(job);
    expect(await rows()).toEqual([recorded]);
  });

  it.each<[why: string, job: Partial<Job>]>([
    ['profile: received "none"; there is no profile of this name', { profile: 'none' }],
    ['continue: the folder of the thread was deleted', { finished_at: '2020-01-01T00:00:00.000Z' }],
  ])('that can be created no longer is not, and the message says why: %s', async (why, more) => {
    await settle(await ended([recorded], more));
    const [row] = await rows();
    expect(row?.reason).toContain(`the job ended first; it could not become the next turn: ${why}`);
    expect(row).not.toHaveProperty('next_job_id');
  });

  it.each(['invalid_request', 'invalid_state'] as const)('is not tried again after %s', async (code) => {
    const job = await ended([recorded]);
    deployment.jobs.create = () => Promise.reject(ApiError.because(code, 'never'));
    await settle(job);
    expect((await rows())[0]?.reason).toBe('the job ended first; it could not become the next turn: never');
  });

  it.each([new Error('refused'), ApiError.of('unavailable')])(
    'is created later if that fails now: %s',
    async (error) => {
      const job = await ended([recorded]);
      deployment.jobs.create = () => Promise.reject(error);
      await expect(settle(job)).rejects.toBe(error);
      expect(await rows()).toEqual([recorded]);
      expect(await deployment.read({ id: ID })).toMatchObject({ messages_pending: true });
    },
  );
});

it('a session that comes in parts has the messages whose headings it has, also cut ones', async () => {
  const ids = ['msg_0123456789abcdefghjkmnpqrs', 'msg_zzzzzzzzzzzzzzzzzzzzzzzzzz'].map((id) =>
    id.replace(/[lou]/g, 'x'),
  );
  const text = ids.map((id) => messageText({ id, text: 'hi' })).join('\n');
  for (const size of [1, 7, 1_000]) {
    const found = new Set<string>();
    const parts = async function* () {
      for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
    };
    const passed = await Array.fromAsync(noting(parts(), found));
    expect([Buffer.concat(passed).toString(), [...found]]).toEqual([text, ids]);
  }
  expect(await messagesSaved({ find: async () => undefined }, ID, 1)).toEqual(new Set());
});

it('a message is shown as pending until it is delivered, and only then with its attempt', () => {
  const attempt = 2;
  const view = { id: 'msg_1', text: 'and now?', created_at: aRow().created_at, created_by: 'token:sender' };
  const nothing = { delivered_at: null, attempt: null, reason: null, next_job_id: null };
  expect(viewMessage(aRow())).toEqual({ ...view, ...nothing, status: 'pending' });
  expect(viewMessage(aRow({ state: 'sent', attempt }))).toEqual({ ...view, ...nothing, status: 'pending' });
  const delivered = aRow({ state: 'delivered', attempt, delivered_at: 'then' });
  expect(viewMessage(delivered)).toEqual({ ...view, ...nothing, status: 'delivered', attempt, delivered_at: 'then' });
  expect(viewMessage(aRow({ state: 'delivered' }))).toEqual({ ...view, ...nothing, status: 'delivered' });
  const became = { reason: 'the job ended first', next_job_id: 'job_2' };
  const missed = aRow({ state: 'not_delivered', attempt, ...became });
  expect(viewMessage(missed)).toEqual({ ...view, ...nothing, status: 'not_delivered', ...became });
});
