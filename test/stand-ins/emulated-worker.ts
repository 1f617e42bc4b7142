import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { ProfileStore } from '../../lib/catalog/profiles.ts';
import { RuleStore } from '../../lib/catalog/rules.ts';
import { AGENTS } from '../../lib/contract/agents.ts';
import { DiagramStore } from '../../lib/diagrams/diagram-store.ts';
import type { CreationContext } from '../../lib/jobs/creation/create-job.ts';
import { JobTextStore } from '../../lib/jobs/store/job-texts.ts';
import { WorkerSignals } from '../../lib/live/worker-signals.ts';
import { workerEnv } from '../../lib/platform/config/worker-env.ts';
import { ProjectStore } from '../../lib/projects/projects.ts';
import type { AttemptContext } from '../../worker-container/attempt/attempt.ts';
import { SignalWatch } from '../../worker-container/heartbeat/signal-watch.ts';
import type { EmulatedDeployment } from './emulated-deployment.ts';

/** What creates jobs in an emulated deployment, and what runs them; profile `shell` is the default. */
export async function openWorker(
  deployment: EmulatedDeployment,
): Promise<{ creation: CreationContext; worker: Omit<EmulatedDeployment, 'env'> & AttemptContext }> {
  const { objects, registry, clock, env } = deployment;
  const stores = {
    texts: new JobTextStore({ ...registry, objects, bucket: env.OUTPUT_BUCKET }),
    profiles: new ProfileStore(registry),
    rules: new RuleStore(registry),
    diagrams: new DiagramStore(registry),
    folders: { workspaces: env.PROMPTQ_WORKSPACES, roots: [env.PROMPTQ_TEMP] },
    agents: AGENTS,
  };
  await stores.profiles.put({ name: 'shell', agent: 'shell' });
  const projects = new ProjectStore({ ...registry, clock });
  const workerSettings = workerEnv.parse({
    ...env,
    PROMPTQ_ALLOWED_ROOTS: '',
    PROMPTQ_AGENTS: env.PROMPTQ_AGENTS.join(','),
    PROMPTQ_ACCOUNT_VENDORS: 'codex',
    PROMPTQ_REPOSITORY_LOOPBACK: '1',
    PROMPTQ_S3_PATH_STYLE: '1',
    PROMPTQ_DEPLOY_COMMANDS: '1',
    PROMPTQ_CALLS_TO_LOOPBACK: '1',
    PROMPTQ_WORK_DIR: join(env.PROMPTQ_WORKSPACES, '..', 'worker'),
  });
  return {
    creation: { ...deployment, ...stores, projects, defaultProfile: 'shell' },
    worker: {
      ...deployment,
      ...stores,
      env: workerSettings,
      workerId: 'worker-under-test',
      signals: new SignalWatch({
        signals: new WorkerSignals({ ...registry, clock }),
        workerId: 'worker-under-test',
        onFailure: () => undefined,
      }),
      markPrefix: `${workerSettings.PROMPTQ_WORK_DIR}/`,
      log: new Logger({ serviceName: 'test', logLevel: 'SILENT' }),
    },
  };
}
