import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { checkCounts } from '../../../lib/doctor/stores/check-counts.ts';
import type { TriggerEnv } from '../../../lib/platform/config/function-env.ts';

const ENV = { JOBS_TABLE: 'jobs', REGISTRY_TABLE: 'registry' } as TriggerEnv;
/** What is found while the jobs have these numbers of queued ones, one poll after the other; none is kept as counted. */
async function look(queued: readonly number[]) {
  const left = [...queued];
  const pauses: number[] = [];
  const send = async (command: unknown) => {
    if (!(command instanceof ScanCommand)) return { Items: [] };
    return { Items: Array.from({ length: left.shift() ?? 0 }, () => ({ status: 'QUEUED' })) };
  };
  const pause = async (milliseconds: number) => pauses.push(milliseconds);
  const { state, message } = await checkCounts({ send } as unknown as DynamoDBDocumentClient, ENV, pause);
  return { found: `${state}: ${message}`, left, pauses };
}

const APART = [1_500, 1_500, 1_500];

it('counts may lag behind the jobs for four polls, a second and a half apart', async () => {
  const same = 'ok: those that are kept are those of the jobs';
  expect(await look([0, 1])).toEqual({ found: same, left: [1], pauses: [] });
  expect(await look([1, 2, 3, 0])).toEqual({ found: same, left: [], pauses: APART });
  expect(await look([1, 2, 3, 4, 0])).toEqual({
    ...{ found: 'fault: QUEUED: kept 0, counted 4', left: [0], pauses: APART },
  });
});
