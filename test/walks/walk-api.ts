import fc from 'fast-check';
import { STATUSES, type Status } from '../../lib/contract/statuses.ts';
import { type ServiceUnderTest, waitFor } from '../local-run/local-service.ts';
import { type Model, walks } from './commands.ts';

export interface WalkReport {
  readonly walks: number;
  readonly steps: number;
  readonly jobs: number;
  readonly counts: Readonly<Record<Status, number>>;
}

/** Steps of one walk. */
const STEPS = 40;

/**
 * Walks at random over a running API, each answer held against what the lifecycle permits, and at last compares the
 * counts with the jobs.
 * @throws Error with the seed and the steps of a walk that met an answer which can't be right.
 */
export async function walkApi(service: ServiceUnderTest, options: { runs: number; seed: number }): Promise<WalkReport> {
  const ids = new Set<string>();
  let steps = 0;
  let walk = 0;
  const property = fc.asyncProperty(walks(STEPS), async (commands) => {
    walk += 1;
    const model: Model = { jobs: [], ofKey: new Map() };
    const name = `${options.seed} ${walk}`;
    try {
      await fc.asyncModelRun(() => ({ model, real: { service, walk: name } }), commands);
    } finally {
      steps += [...commands].length;
      for (const { id } of model.jobs) ids.add(id);
    }
  });
  // A walk with a worker in it is not the same twice: to shrink it would find other walks.
  await fc.assert(property, { numRuns: options.runs, seed: options.seed, endOnFailure: true });
  const ends = await Promise.all([...ids].map(async (id) => await endOf(service, id)));
  const expected = Object.fromEntries(STATUSES.map((status) => [status, ends.filter((end) => end === status).length]));
  const counts = await waitFor(async () => {
    const { json } = await service.api('GET', '/jobs?limit=1');
    const isSame = JSON.stringify(json.status_counts) === JSON.stringify(expected) && json.total === ids.size;
    if (!isSame) throw new Error(`counted ${JSON.stringify(json.status_counts)}, not ${JSON.stringify(expected)}`);
    return json.status_counts as Record<Status, number>;
  });
  return { walks: walk, steps, jobs: ids.size, counts };
}

async function endOf(service: ServiceUnderTest, id: string): Promise<Status> {
  return await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}/status`);
    return (json.terminal || json.status === 'DRAFT') && (json.status as Status);
  });
}
