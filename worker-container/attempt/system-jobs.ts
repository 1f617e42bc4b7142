import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { type SystemJobName, systemName } from '../../lib/jobs/lifecycle/system-job.ts';
import type { Attempt, AttemptRun } from './attempt.ts';
import { runDeployCommands } from './deploy-commands.ts';

/** How the attempt of a system job is run. It throws only before it has begun: then the job may run again. */
const RUNS: Readonly<Record<SystemJobName, (attempt: Attempt) => Promise<AttemptRun>>> = {
  deploy: runDeployCommands,
};

/** What runs a system job; undefined: it is a client's, and its agent runs. */
export function runOfSystemJob(job: Job): ((attempt: Attempt) => Promise<AttemptRun>) | undefined {
  const name = systemName(job);
  return name === undefined ? undefined : RUNS[name];
}
