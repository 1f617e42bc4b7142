import { expect, it } from 'vitest';
import { NEWEST_JOB_SCHEMA, NewerSchemaError } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { knownJobs, readJob } from '../../../../lib/jobs/store/read-job.ts';
import { readyPartition } from '../../../../lib/jobs/store/ready-partition.ts';
import { printedBy } from '../../../local-run/captured-lines.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

it.each([undefined, 1, NEWEST_JOB_SCHEMA])('a job of schema %s is read', (schema) => {
  const job = aJob({ ...(schema !== undefined && { schema }) });
  expect([readJob({ ...job }), knownJobs([{ ...job }])]).toEqual([job, [job]]);
});

it('a job of a later schema, or with one that is no number, is none that this version reads', async () => {
  const later = { ...aJob({ id: 'job_of_a_later_schema' }), schema: NEWEST_JOB_SCHEMA + 1, texts: { moved: true } };
  const { lines, result } = await printedBy(async () => {
    expect(() => readJob(later)).toThrow(NewerSchemaError);
    return knownJobs([later]);
  });
  expect(result).toEqual([]);
  expect(lines).toEqual([
    expect.objectContaining({ what: 'job job_of_a_later_schema', schema: NEWEST_JOB_SCHEMA + 1 }),
  ]);
  expect(() => readJob({ ...aJob(), schema: '9' })).not.toThrow(NewerSchemaError);
  expect(() => readJob({ ...aJob(), schema: '9' })).toThrow(/schema/);
});

it('a damaged job is reported, and the others are read', async () => {
  const job = aJob();
  const damaged = { ...job, id: 'job_damaged_one', attempt: 'one' };
  const { lines, result } = await printedBy(async () => knownJobs([damaged, { ...job }]));
  expect(result).toEqual([job]);
  expect(lines).toContainEqual(expect.objectContaining({ item: 'job job_damaged_one' }));
});

it('a partition of the ready index is read in its order, within a range, and up to a number of jobs', async () => {
  const deployment = quietDeployment();
  const asks = (minute: number) => `2026-11-20T10:0${minute}:00.000Z`;
  for (const minute of [3, 1, 2]) {
    const question = { id: 'q_1', state: 'open', due: asks(minute) } as const;
    await deployment.store({
      id: `job_${minute}`,
      reason: 'question',
      parked: 'question',
      question,
      due_at: asks(minute),
    });
  }
  const partition = readyPartition(deployment.table, 'jobs');
  const read = async (range?: Parameters<typeof partition>[1]) =>
    (await Array.fromAsync(partition('parked#question', range))).map(({ id }) => id);
  expect(await read()).toEqual(['job_1', 'job_2', 'job_3']);
  expect(await read({})).toEqual(['job_1', 'job_2', 'job_3']);
  expect(await read({ from: asks(2) })).toEqual(['job_2', 'job_3']);
  expect(await read({ to: asks(2) })).toEqual(['job_1', 'job_2']);
  deployment.calls.length = 0;
  expect(await read({ most: 2 })).toEqual(['job_1', 'job_2']);
  // It reads no more than that, in one request.
  expect(deployment.calls).toMatchObject([{ input: { Limit: 2 } }]);
});
