import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { createScaling } from '../../../../lib/composition/services.ts';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { scaleEnv } from '../../../../lib/platform/config/function-env.ts';
import { readEnv } from '../../../../lib/platform/config/read-env.ts';
import type { MetricValues } from '../../../../lib/platform/operations/metrics.ts';
import type { WorkerInfo } from '../../../../lib/workers/live-workers.ts';
import { scaleWorkers } from '../../../../lib/workers/scaling/scale-workers.ts';
import { type EcsStandIn, startEcsStandIn } from '../../../stand-ins/ecs.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

/** What a deployment sets beside the names of its tables. */
const SETTINGS = {
  SCALE_WORKERS_FUNCTION: 'promptq-scale-workers',
  PROMPTQ_MAX_WORKERS: '4',
  WORKER_CLUSTER: 'cluster',
  WORKER_SUBNETS: 'subnet-1,subnet-2',
  WORKER_SECURITY_GROUP: 'sg-1',
  WORKER_BUILD_PARAMETER: '/promptq-worker/task-definition',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
};

let deployment: EmulatedDeployment;
let aws: EcsStandIn;
let jobs = 0;
let sequence = 10n ** 20n;

/** An emulated deployment of its own for each test of a file, whose functions find a stand-in for ECS, SSM and Lambda. */
export function scalingUnderTest() {
  const state = {
    /** When the test began, by which it goes: no time goes by but what it says. */
    begun: 0,
    /** Milliseconds by which `decide` is later than that. */
    later: 0,
    /** What `decide` has logged and reported. */
    lines: [] as unknown[],
    told: [] as MetricValues[],
    get deployment() {
      return deployment;
    },
    get aws() {
      return aws;
    },
    change,
    queue,
    register,
    /** Decides by the exported function. */
    handle: async () => await (await import('../../../../functions/triggers/scale-workers.ts')).handler({}),
    /** Decides as the function does, but later. */
    async decide(settings: Record<string, string> = {}) {
      const clock = { now: () => state.begun + state.later };
      const write = (...line: unknown[]) => void state.lines.push(line);
      const env = readEnv(scaleEnv, { ...process.env, ...settings });
      const context = createScaling({ env, table: deployment.table, clock });
      const log = { info: write, warn: write, error: write };
      return await scaleWorkers({ ...context, log, emitMetrics: (values) => state.told.push(values) });
    },
  };
  beforeAll(async () => {
    aws = await startEcsStandIn();
  });
  afterAll(async () => await aws.stop());
  beforeEach(async () => {
    deployment = await emulateDeployment();
    Object.assign(state, { begun: deployment.clock.now(), later: 0, lines: [], told: [] });
    aws.reset();
    vi.resetModules();
    const standIns = Object.fromEntries(['ECS', 'SSM', 'LAMBDA'].map((name) => [`AWS_ENDPOINT_URL_${name}`, aws.url]));
    for (const [name, value] of Object.entries({ ...deployment.variables, ...SETTINGS, ...standIns }))
      vi.stubEnv(name, value);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await deployment.stop();
  });
  return state;
}

/** Has the stream's function hear of a job's new state. */
async function change(before: Job | undefined, after: Job): Promise<Job> {
  const { handler } = await import('../../../../functions/triggers/count-jobs.ts');
  sequence += 1n;
  const image = (job: Job) => marshall({ ...job, ...indexKeys(job) }, { removeUndefinedValues: true });
  const dynamodb = {
    SequenceNumber: String(sequence),
    ...(before && { OldImage: image(before) }),
    NewImage: image(after),
  };
  await handler({ Records: [{ dynamodb }], shardId: 'shard' } as Parameters<typeof handler>[0]);
  return after;
}

/** Stores a job, of which the stream's function hears. */
async function queue(state: Partial<Job> = {}): Promise<Job> {
  jobs += 1;
  return await change(undefined, await deployment.store({ id: jobIdOfKey(`scaling ${jobs}`), ...state }));
}

/** A worker that is this task registers. */
async function register(task: string, state: Partial<Pick<WorkerInfo, 'leaving' | 'running'>> = {}) {
  const worker = { id: `worker-${task}`, host: 'h', version: '1', concurrency: 1, running: [], started_at: '' };
  const info = { ...worker, task, build: 'worker:1', ...state };
  await deployment.workers.register(info);
  return info;
}
