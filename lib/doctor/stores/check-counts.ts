import { setTimeout as delay } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { STATUSES } from '../../contract/statuses.ts';
import { JobCounts } from '../../counters/counts.ts';
import type { TriggerEnv } from '../../platform/config/function-env.ts';
import { recount } from '../../stats/counting/recount.ts';
import { type Finding, fault, ok } from '../finding.ts';

/** Counts lag writes by a second or two, so a difference must persist over so many polls, this far (ms) apart. */
const POLLS = { times: 4, apart: 1_500 } as const;

/** Counts the jobs one by one and compares with the stored counts. Reads every job: for a home, or a small table. */
export async function checkCounts(
  table: DynamoDBDocumentClient,
  env: TriggerEnv,
  pause: (milliseconds: number) => Promise<unknown> = delay,
): Promise<Finding> {
  const counts = new JobCounts({ table, registryTable: env.REGISTRY_TABLE });
  for (let round = 1; ; round += 1) {
    const [kept, counted] = await Promise.all([counts.read(), recount(table, env.JOBS_TABLE)]);
    const different = STATUSES.filter((status) => kept[status] !== counted[status]);
    if (different.length === 0) return ok('counts', 'those that are kept are those of the jobs');
    if (round === POLLS.times)
      return fault(
        'counts',
        different.map((status) => `${status}: kept ${kept[status]}, counted ${counted[status]}`).join('; '),
        'count-jobs does not keep up with the stream: see its log. `npm run recount` compares all figures.',
      );
    await pause(POLLS.apart);
  }
}
