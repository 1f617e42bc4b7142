import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { RequestError, UnreachableError } from '../../../lib/client/errors.ts';
import type { Promptq } from '../../../lib/client/promptq.ts';
import { giveAnswer, openQuestion, untilClosed, waitForChange } from '../../../lib/mcp/waiting.ts';

const state = (code: string, terminal = false) => ({ state_reason: { code }, terminal });

/** A client whose job is in these states, and then in the last one until the wait ends. */
function clientWith(states: readonly object[], end?: Error): Promptq {
  async function* given(_id: string, { signal }: { signal: AbortSignal }) {
    yield* states;
    if (end !== undefined) throw end;
    await sleep(60_000, undefined, { signal });
  }
  return { states: given } as unknown as Promptq;
}

describe('a wait', () => {
  const wait = async (client: Promptq, { seconds = 60, signal = new AbortController().signal } = {}) =>
    await waitForChange(client, { id: 'job_1', seconds, signal });

  it.each([
    ['the end of the job', state('exited', true)],
    ['an account that is missing', state('account_required')],
    ['a draft', state('draft')],
    ['a question', state('question')],
    ['a thread that has stopped', state('thread_stopped')],
  ])('ends with %s', async (_, last) => {
    expect(await wait(clientWith([state('waiting_for_worker'), last, state('exited', true)]))).toBe(last);
  });

  it('ends with the last known state when its time is over, and fails if there is none', async () => {
    const running = state('running');
    expect(await wait(clientWith([state('queued'), running]), { seconds: 0.01 })).toBe(running);
    await expect(wait(clientWith([]), { seconds: 0.01 })).rejects.toEqual(
      new UnreachableError('it did not answer within 0.01 seconds'),
    );
  });

  it('counts its time in seconds', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    await wait(clientWith([state('exited', true)]), { seconds: 20 });
    expect(timeout.mock.calls).toEqual([[20_000]]);
    vi.restoreAllMocks();
  });

  it('fails with the service, and with the call that it is a part of', async () => {
    const error = new UnreachableError('gone');
    await expect(wait(clientWith([state('running')], error))).rejects.toBe(error);
    const over = AbortSignal.abort(new Error('the call is over'));
    await expect(wait(clientWith([state('running')]), { signal: over })).rejects.toThrow('aborted');
    await expect(wait(clientWith([state('running')]), { signal: over, seconds: 0 })).rejects.toThrow('aborted');
  });
});

/** A client that answers each request for the questions with the next of these. */
function clientAsked(answers: (object[] | Error)[]): Promptq {
  const GET = async (path: string) => {
    expect(path).toBe('/api/v1/jobs/{id}/questions');
    const next = answers.shift();
    if (next instanceof Error) throw next;
    return { data: { items: next }, response: new Response() };
  };
  return { api: { GET } } as unknown as Promptq;
}
const asked = (id: string, is: 'open' | 'answered' | 'expired' = 'open') => ({ id, state: is, job_id: 'job_1' });

it('the open question is found among those of before', async () => {
  const open = asked('q_3');
  expect(await openQuestion(clientAsked([[asked('q_1', 'answered'), asked('q_2', 'expired'), open]]), 'job_1')).toBe(
    open,
  );
  expect(await openQuestion(clientAsked([[asked('q_1', 'answered')]]), 'job_1')).toBeUndefined();
});

it.each([
  ['is answered', [asked('q_1', 'answered')]],
  ['is no longer known, because its job is not', new RequestError(404, { error: 'job_not_found' })],
  ['is followed by another', [asked('q_1', 'expired'), asked('q_2')]],
])('a question is watched until it %s, even if the service is out of reach meanwhile', async (_, closed) => {
  const answers = [[asked('q_1')], new UnreachableError('gone'), [asked('q_1')], closed, [asked('q_1')]];
  const watched = { everyMs: 1, signal: new AbortController().signal };
  await untilClosed(clientAsked(answers), asked('q_1') as never, watched);
  expect(answers).toHaveLength(1);
});

it('a question is no longer watched once the call is over', async () => {
  const answers = [[asked('q_1')]];
  const watched = { everyMs: 1, signal: AbortSignal.abort() };
  await expect(untilClosed(clientAsked(answers), asked('q_1') as never, watched)).rejects.toThrow('aborted');
  expect(answers).toHaveLength(1);
});

it('an answer is given unless the user has none; one that comes too late changes nothing, any other failure is one', async () => {
  const given: unknown[] = [];
  const give = async (text: string | null, error?: Error) => {
    const answer = async (...call: unknown[]) => {
      given.push(call);
      if (error !== undefined) throw error;
    };
    return await giveAnswer({ answer } as unknown as Promptq, 'job_1', { questionId: 'q_1', text });
  };
  await give(null);
  expect(given).toEqual([]);
  await give('blue', new RequestError(400, { error: 'answer: it is not open', details: { state: 'RUNNING' } }));
  expect(given).toEqual([['job_1', { question_id: 'q_1', answer: 'blue' }]]);
  for (const error of [
    new RequestError(400, { error: 'body.answer: is empty' }),
    new RequestError(400, { error: 'body.answer: is empty', details: {} }),
    new RequestError(404, { error: 'job_not_found', details: { state: 'x' } }),
    new UnreachableError('gone'),
  ])
    await expect(give('', error)).rejects.toBe(error);
});
