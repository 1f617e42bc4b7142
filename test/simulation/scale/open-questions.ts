import { Logger } from '@aws-lambda-powertools/logger';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import { DeployBindingStore } from '../../../lib/bindings/deploy-binding-store.ts';
import { countedState, JobCounts } from '../../../lib/counters/counts.ts';
import { indexKeys } from '../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { warmWorkersSchema } from '../../../lib/platform/config/warm-workers.ts';
import { reconcile } from '../../../lib/reconciler/reconciler.ts';
import { LiveWorkers } from '../../../lib/workers/live-workers.ts';
import { readDemand } from '../../../lib/workers/scaling/read-demand.ts';
import { scaleWorkers } from '../../../lib/workers/scaling/scale-workers.ts';
import { ScalingStore } from '../../../lib/workers/scaling/scaling-store.ts';
import { ENV } from '../model/environment.ts';
import { quietDeployment } from '../worlds/quiet-deployment.ts';

/** Records in one batch of the stream. */
const BATCH = 1_000;

const DUE = '2036-11-20T10:00:00.000Z';

interface Minute {
  /** Requests of the reconciler and of scaling, by command. */
  readonly requests: Readonly<Record<string, number>>;
  readonly messages: number;
  readonly launches: number;
}

/** One run of the reconciler and one of scaling. @param ready jobs that wait for a worker besides */
export async function minuteWith(open: number, { ready = 0 } = {}): Promise<Minute> {
  const deployment = quietDeployment();
  const { table, clock, calls, sent } = deployment;
  const registry = { table, registryTable: ENV.REGISTRY_TABLE, clock };
  const counts = new JobCounts(registry);
  let records: Job[] = [];
  let sequence = 10n ** 20n;
  const count = async () => {
    const changes = records.map((job) => {
      sequence += 1n;
      return { sequence: String(sequence), before: undefined, after: countedState({ ...job, ...indexKeys(job) }) };
    });
    await counts.apply('shard', changes);
    records = [];
  };
  for (let at = 0; at < open + ready; at += 1) {
    const id = jobIdOfKey(`open question ${at}`);
    const question = { id: `q_${at}`, state: 'open', due: DUE } as const;
    const asking = { reason: 'question', parked: 'question', due_at: DUE, question, attempt: 1 } as const;
    records.push(await deployment.store({ id, ...(at < open && asking) }));
    if (records.length === BATCH) await count();
  }
  await count();
  calls.length = 0;
  sent.length = 0;
  await reconcile(deployment);
  let launches = 0;
  const bindings = new DeployBindingStore(registry);
  const accounts = new AccountStore({ ...registry, world: 'practice' });
  const demand = { ...deployment, counts, bindings, accounts, vendors: [], commands: true };
  await scaleWorkers({
    readDemand: async (enough) => await readDemand(demand, enough),
    scaling: new ScalingStore(registry),
    workers: new LiveWorkers(registry),
    tasks: {
      run: async () => {
        launches += 1;
        return { tasks: ['task-1'] };
      },
      ended: async () => new Map(),
    },
    clock,
    settings: { maxWorkers: 4, concurrency: 2, spotWeight: 0, warmWorkers: warmWorkersSchema.parse({}) },
    wantedBuild: async () => 'worker:1',
    newToken: () => 'token',
    log: new Logger({ logLevel: 'SILENT' }),
    emitMetrics: () => undefined,
  });
  const requests: Record<string, number> = {};
  for (const call of calls) {
    const { name } = (call as object).constructor;
    requests[name] = (requests[name] ?? 0) + 1;
  }
  return { requests, messages: sent.length, launches };
}
