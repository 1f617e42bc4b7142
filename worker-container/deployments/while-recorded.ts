import type { JobDeployment } from '../../lib/jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../../lib/jobs/deployments/job-deployment-store.ts';
import { machineTiming, type Timing } from '../output/timing.ts';

/** How often (ms) to check whether a deployment that runs is still recorded as this worker's. */
const CHECK_INTERVAL_MS = 15_000;

interface Context {
  readonly deployments: Pick<JobDeploymentStore, 'get'>;
  readonly timing?: Timing;
}

/**
 * Runs commands until they have ended, or are to be stopped because their record has changed: reconcile-jobs has taken the
 * worker for lost, so that other jobs may work in the folder. A failed check says nothing.
 */
export async function whileRecorded<T>(
  { deployments, timing = machineTiming }: Context,
  running: JobDeployment,
  run: (givenUp: AbortSignal) => Promise<T>,
): Promise<T> {
  const givenUp = new AbortController();
  const check = async () => {
    const isOurs = await deployments.get(running).then(
      (current) => current?.version === running.version,
      () => true,
    );
    if (!isOurs) givenUp.abort();
    else cancel = timing.schedule(() => void check(), CHECK_INTERVAL_MS);
  };
  let cancel = timing.schedule(() => void check(), CHECK_INTERVAL_MS);
  try {
    return await run(givenUp.signal);
  } finally {
    cancel();
  }
}
