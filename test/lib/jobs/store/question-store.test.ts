import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { type QuestionRow, QuestionStore } from '../../../../lib/jobs/store/question-store.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});
/** A table that has nothing, and takes no write. */
const refusing = {
  send: async (command: unknown) => (command instanceof GetCommand ? {} : Promise.reject(new Error('refused'))),
} as unknown as DynamoDBDocumentClient;

describe('a question', () => {
  const row: QuestionRow = { question: 'which?', attempt: 1, asked_at: '2026', due: '2027' };
  const answer = { text: 'yes', by: 'token:me', at: '2026' };

  it('and its answers are those of the last acknowledged writes', async () => {
    deployment = quietDeployment({ lag: 60_000 });
    const { questions } = deployment.texts;
    expect(await questions.read('job_1', { id: 'q_1' })).toBeUndefined();
    await questions.put('job_1', 'q_1', row);
    await questions.put('job_1', 'q_2', row);
    const names = [
      await questions.putAnswer('job_1', 'q_1', answer),
      await questions.putAnswer('job_1', 'q_1', answer),
    ];
    expect(await questions.read('job_1', { id: 'q_1' })).toEqual({ row, answer: undefined });
    expect(await questions.read('job_1', { id: 'q_1', answer: 'none' })).toEqual({ row, answer: undefined });
    expect(await questions.read('job_1', { id: 'q_1', answer: names[0] })).toEqual({ row, answer });
    expect(await questions.list('job_1')).toEqual([
      { ...row, id: 'q_1', answers: new Map(names.toSorted().map((name) => [name, answer])) },
      { ...row, id: 'q_2', answers: new Map() },
    ]);
    expect(
      deployment.calls.flatMap((call) => (call instanceof QueryCommand ? [call.input.ConsistentRead] : [])),
    ).toEqual([true]);
  });

  it('without an answer is read by one request', async () => {
    const { questions } = deployment.texts;
    await questions.put('job_1', 'q_1', row);
    deployment.calls.length = 0;
    await questions.read('job_1', { id: 'q_1' });
    expect(deployment.calls).toHaveLength(1);
  });

  it('keeps what became of it, if it is there', async () => {
    const { questions } = deployment.texts;
    await questions.put('job_1', 'q_1', row);
    await questions.close('job_1', { id: 'q_1', state: 'expired', due: '2027', stale: false });
    const { row: closed } = (await questions.read('job_1', { id: 'q_1' })) ?? {};
    expect(closed).toStrictEqual({ ...row, state: 'expired' });
    await questions.close('job_1', { id: 'q_1', state: 'answered', due: '2027', answer: 'a', stale: true });
    expect((await questions.list('job_1'))[0]).toMatchObject({ state: 'answered', answer: 'a', stale: true });
    await questions.close('job_1', { id: 'q_9', state: 'expired', due: '2027' });
    expect(await questions.read('job_1', { id: 'q_9' })).toBeUndefined();
  });

  it('has its answer replaced, unless that was removed', async () => {
    const { questions } = deployment.texts;
    const name = await questions.putAnswer('job_1', 'q_1', answer);
    await questions.put('job_1', 'q_1', row);
    await questions.replaceAnswer('job_1', { id: 'q_1', answer: name }, { ...answer, text: '***' });
    await questions.replaceAnswer('job_1', { id: 'q_1', answer: 'none' }, answer);
    const [one] = await questions.list('job_1');
    expect(one?.answers).toEqual(new Map([[name, { ...answer, text: '***' }]]));
    const broken = new QuestionStore({ table: refusing, registryTable: 'registry' });
    await expect(broken.replaceAnswer('job_1', { id: 'q_1', answer: name }, answer)).rejects.toThrow('refused');
  });

  it('is removed with its answers', async () => {
    const { questions } = deployment.texts;
    await questions.put('job_1', 'q_1', row);
    await questions.putAnswer('job_1', 'q_1', answer);
    await questions.put('job_12', 'q_1', row);
    await questions.removeAll('job_1');
    expect(await questions.list('job_1')).toEqual([]);
    expect(await questions.read('job_1', { id: 'q_1' })).toBeUndefined();
    expect(await questions.list('job_12')).toEqual([{ ...row, id: 'q_1', answers: new Map() }]);
  });
});
