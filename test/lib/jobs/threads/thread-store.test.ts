import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { ThreadStore } from '../../../../lib/jobs/threads/thread-store.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

it('the turns and forks of a thread are those of the last acknowledged writes, in their order', async () => {
  const { threads, calls } = quietDeployment();
  for (const turn of [10, 2, 9]) expect(await threads.put('job_1', { turn, jobId: `job_${turn}` })).toBe(true);
  await threads.putFork('job_1', 'job_fork');
  const turns = [1, 2, 9, 10].map((turn) => ({ turn, jobId: `job_${turn}` }));
  expect(await threads.turns('job_1')).toEqual(turns);
  expect(await threads.forks('job_1')).toEqual(['job_fork']);
  await threads.remove('job_1', 9);
  await threads.removeFork('job_1', 'job_fork');
  expect(await threads.turns('job_1')).toEqual(turns.filter(({ turn }) => turn !== 9));
  expect(await threads.forks('job_1')).toEqual([]);
  const queries = calls.flatMap((call) => (call instanceof QueryCommand ? [call.input.ConsistentRead] : []));
  expect(queries).toEqual([true, true, true, true]);
});

it('one of two jobs gets a turn, and the other hears that it did not', async () => {
  const { threads } = quietDeployment();
  expect(await threads.put('job_1', { turn: 2, jobId: 'job_a' })).toBe(true);
  expect(await threads.put('job_1', { turn: 2, jobId: 'job_b' })).toBe(false);
  expect((await threads.turns('job_1')).at(-1)).toEqual({ turn: 2, jobId: 'job_a' });
});

it('a turn that could not be written is no turn that another job has', async () => {
  const { registry, table } = quietDeployment();
  const send = () => Promise.reject(new Error('refused'));
  const threads = new ThreadStore({
    ...registry,
    table: Object.assign(Object.create(table) as typeof table, { send }),
  });
  await expect(threads.put('job_1', { turn: 2, jobId: 'job_a' })).rejects.toThrow('refused');
});
