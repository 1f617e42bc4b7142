import { S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createReconciler } from '../../../lib/composition/services.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { TableClock } from '../../../lib/platform/aws/table-clock.ts';
import { aJob } from '../../lib/jobs/a-job.ts';
import { ENV } from '../model/environment.ts';
import { Faults } from '../model/faults.ts';
import { VirtualTime } from '../model/virtual-time.ts';
import { SeededRandom } from '../seeded-random.ts';
import { ModelDeployment } from './deployment.ts';

/** Nothing goes wrong; reads that need not be consistent lag behind. */
class Quiet extends Faults {
  /** Milliseconds. */
  readonly #lag: number;

  constructor(random: SeededRandom, lag: number) {
    super(random);
    this.#lag = lag;
    this.end(0);
  }

  override readLag(): number {
    return this.#lag;
  }

  override indexDelay(): number {
    return 0;
  }
}

/** What was sent to the queues. */
interface SentMessage {
  readonly job: string;
  readonly band: string;
  readonly seconds: number;
}

/**
 * The modules over the simulator's model of the services: no call takes time or fails, so that a test can say what else
 * happens. Quicker than the emulators, against which the model is checked.
 * @param options.lag how far (ms) reads that need not be consistent are behind; default: not at all.
 */
export function quietDeployment({ lag = 0 }: { lag?: number } = {}) {
  const [time, random] = [new VirtualTime(), new SeededRandom(1)];
  const model = new ModelDeployment(
    { time, random, faults: new Quiet(random, lag) },
    // Tests begin in the middle of a job's life, which no rule of the simulator allows.
    { onFault: () => undefined },
  );
  const sent: SentMessage[] = [];
  const calls: unknown[] = [];
  const send = async (command: unknown) => {
    calls.push(command);
    if (command instanceof SendMessageCommand) {
      const { band, job } = JSON.parse(command.input.MessageBody ?? '') as { band: string; job: string };
      sent.push({ job, band, seconds: command.input.DelaySeconds ?? 0 });
    }
    return model.perform(command, { id: 'worker-1', doing: 'work' });
  };
  const table = { send } as unknown as DynamoDBDocumentClient;
  const queues = { send } as unknown as SQSClient;
  const objects = Object.assign(Object.create(S3Client.prototype) as S3Client, { send });
  const clock = new TableClock({ wall: () => time.wall, monotonic: () => time.now });
  const context = {
    ...createReconciler({ env: ENV, table, clock, queues, objects }),
    random: () => 0.5,
    // By default, one that another test of this process caused would count.
    hadOutage: () => false,
  };
  return {
    ...context,
    env: ENV,
    table,
    objects,
    time,
    sent,
    calls,
    /** Stores a job as it is, without a dispatch message. */
    async store(job: Partial<Job> & Pick<Job, 'id'>): Promise<Job> {
      const stored = aJob(job);
      await context.jobs.create(stored);
      return stored;
    },
    async read({ id }: Pick<Job, 'id'>): Promise<Job | undefined> {
      return await context.jobs.get(id, { consistent: true });
    },
    async pass(milliseconds: number): Promise<void> {
      const end = time.now + milliseconds;
      time.schedule(() => undefined, milliseconds);
      await time.run(() => time.now >= end);
    },
  };
}
export type QuietDeployment = ReturnType<typeof quietDeployment>;
