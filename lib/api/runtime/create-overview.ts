import { ProfileStore } from '../../catalog/profiles.ts';
import { JobCounts } from '../../counters/counts.ts';
import { ProjectStore } from '../../projects/projects.ts';
import { StatsStore } from '../../stats/counting/stats-store.ts';
import type { DeploymentFacts, EnvironmentContext } from '../../stats/read-environment.ts';
import { LiveWorkers } from '../../workers/live-workers.ts';
import type { Core } from './core.ts';

/** The services behind the overviews of the whole deployment. */
export function createOverview({ registry }: Core): EnvironmentContext {
  return {
    registry,
    counts: new JobCounts(registry),
    stats: new StatsStore(registry),
    projects: new ProjectStore(registry),
    profiles: new ProfileStore(registry),
    workers: new LiveWorkers(registry),
  };
}

/** The deployment's facts in this process's environment. */
export function deploymentFacts({ env }: Core): DeploymentFacts {
  return {
    region: env.PROMPTQ_RUN_HOME === undefined ? env.AWS_REGION : 'local',
    version: env.PROMPTQ_VERSION,
    timeoutUnit: env.PROMPTQ_TIMEOUT_UNIT,
    defaultProfile: env.PROMPTQ_DEFAULT_PROFILE,
    scopeEnforcement: env.PROMPTQ_API_SCOPE_ENFORCE,
    maxBodyBytes: env.PROMPTQ_MAX_BODY_BYTES,
  };
}
