import { Logger } from '@aws-lambda-powertools/logger';
import type { WorkerContext } from '../../../worker-container/pool/worker.ts';
import { aReceipt } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
import type { QuietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

/** What a worker of a model deployment works with: agents that succeed at once, and pauses that take no time. */
export function workerContext(deployment: QuietDeployment, changes: object): WorkerContext {
  const agent = async () => ({
    record: aReceipt({ kind: 'succeeded', reason: 'exited' }),
    ...{ sources: {}, attachments: [], dispose: async () => undefined },
  });
  const { time } = deployment;
  const schedule = (run: () => void, delay: number) => {
    // The pause after a fault takes no time here.
    const escalated = delay <= 1_000 ? setImmediate(run) : undefined;
    return escalated === undefined ? time.schedule(run, delay) : () => clearImmediate(escalated);
  };
  return {
    ...deployment,
    ...{ env: ENV, workerId: 'worker-1', markPrefix: '', log: new Logger({ logLevel: 'SILENT' }) },
    signals: { listen: () => () => undefined },
    pause: (milliseconds: number) => deployment.pass(milliseconds),
    timing: { now: () => time.now, schedule },
    machine: { folder: { make: async () => undefined, remove: async () => undefined }, runAgent: agent },
    ...changes,
  } as unknown as WorkerContext;
}
