import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { SeededRandom } from '../seeded-random.ts';
import { ENV } from './environment.ts';
import type { Faults } from './faults.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How often the SDK tries a call, as `lib/platform/aws/clients.ts` sets it. */
const TRIES = 4;

/** Where a client's calls go, and what may happen to them on the way. */
export interface Network {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly faults: Faults;
  /** Applies a command at its service. */
  perform(command: unknown, actor: Actor): unknown;
}

/** Who calls, and what for. */
export interface Actor {
  /** A worker's id, or the name of the process. */
  readonly id: string;
  readonly doing: string;
}

/** The SDK's clients of one process: calls take time, may be refused, or applied without an answer; the SDK tries again. */
export class ModelClient {
  readonly #network: Network;
  readonly #process: SimulatedProcess;

  readonly #actor: Actor;

  constructor(network: Network, process: SimulatedProcess, actor: Actor) {
    this.#network = network;
    this.#process = process;
    this.#actor = actor;
  }

  get table(): DynamoDBDocumentClient {
    return this as unknown as DynamoDBDocumentClient;
  }

  get queues(): SQSClient {
    return this as unknown as SQSClient;
  }

  /** The SDK's paginators ask for a client of its own class. */
  get objects(): S3Client {
    const send = (command: unknown) => this.send(command);
    return Object.assign(Object.create(S3Client.prototype) as S3Client, { send });
  }

  async send(command: unknown): Promise<unknown> {
    for (let left = TRIES - 1; ; left -= 1) {
      try {
        return await this.#once(command);
      } catch (error) {
        if (left === 0 || !(error instanceof PassingFault)) throw error;
      }
      const pause = 50 * 2 ** (TRIES - left) * (0.5 + this.#network.random.next() / 2);
      await new Promise<void>((resolve) => void this.#process.schedule(resolve, pause));
    }
  }

  #once(command: unknown): Promise<unknown> {
    const { time, faults } = this.#network;
    const sentAt = time.now;
    const { isConnected } = this.#process;
    return new Promise((resolve, reject) => {
      const answer = (goOn: () => void) => {
        time.schedule(() => this.#process.deliver(goOn), faults.latency());
      };
      const succeed = (result: unknown) => {
        if (faults.loosesAnswer()) return answer(() => reject(new PassingFault('no answer')));
        const date = isOfTable(command) ? new Date(time.wall).toUTCString() : undefined;
        answer(() => {
          this.#process.clock.observe(date, sentAt);
          resolve(result);
        });
      };
      time.schedule(() => {
        if (!isConnected || faults.refuses()) return answer(() => reject(new PassingFault('refused')));
        if (isUpdateOfJob(command) && faults.meetsTransaction())
          return answer(() => reject(new TransactionConflictException({ $metadata: {}, message: 'ongoing' })));
        try {
          const result = this.#network.perform(command, this.#actor);
          if (result instanceof Promise) void result.then(succeed);
          else succeed(result);
        } catch (error) {
          answer(() => reject(error as Error));
        }
      }, faults.latency());
    });
  }
}

function isOfTable(command: unknown): boolean {
  const { input } = command as { input: object };
  return 'TransactItems' in input || 'TableName' in input || 'RequestItems' in input;
}

function isUpdateOfJob(command: unknown): boolean {
  return command instanceof UpdateCommand && command.input.TableName === ENV.JOBS_TABLE;
}

/** What the SDK tries again: throttling, a fault of the service, a connection that broke. */
class PassingFault extends Error {
  override readonly name = 'PassingFault';
  /** By this the SDK recognises what it may try again. */
  readonly $retryable = {};
}
