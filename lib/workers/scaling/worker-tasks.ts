import { DescribeTasksCommand, type ECSClient, ECSServiceException, RunTaskCommand } from '@aws-sdk/client-ecs';
import type { Launch } from './launches.ts';

/** DescribeTasks accepts at most this many tasks in one call. */
const TASKS_PER_CALL = 100;

/** Where workers run. */
interface WorkerPlace {
  readonly cluster: string;
  readonly subnets: readonly string[];
  readonly securityGroup: string;
  readonly hasPublicAddress: boolean;
}

/** ECS's answer to a launch: ids of tasks, and why others could not be started. */
interface LaunchAnswer {
  readonly tasks: readonly string[];
  readonly failure?: string | undefined;
}

/** Workers as standalone ECS tasks. */
export class WorkerTasks {
  readonly #client: ECSClient;
  readonly #place: WorkerPlace;

  constructor(client: ECSClient, place: WorkerPlace) {
    this.#client = client;
    this.#place = place;
  }

  /**
   * Starts the tasks of a launch, once however often it is called: for a known token, ECS returns the tasks that it
   * started for it.
   * @throws if it is unknown whether they were started
   */
  async run({ token, provider, count, build }: Launch): Promise<LaunchAnswer> {
    try {
      const { tasks = [], failures = [] } = await this.#client.send(
        new RunTaskCommand({
          cluster: this.#place.cluster,
          taskDefinition: build,
          count,
          clientToken: token,
          capacityProviderStrategy: [{ capacityProvider: provider, weight: 1 }],
          networkConfiguration: {
            awsvpcConfiguration: {
              subnets: [...this.#place.subnets],
              securityGroups: [this.#place.securityGroup],
              assignPublicIp: this.#place.hasPublicAddress ? 'ENABLED' : 'DISABLED',
            },
          },
        }),
      );
      const reason = failures[0]?.reason ?? failures[0]?.detail;
      const isShort = tasks.length < count;
      return {
        tasks: tasks.flatMap(({ taskArn }) => (taskArn === undefined ? [] : [taskId(taskArn)])),
        ...(isShort && { failure: reason ?? 'fewer tasks were started than asked for' }),
      };
    } catch (error) {
      if (isRefusal(error)) return { tasks: [], failure: `${error.name}: ${error.message}` };
      throw error;
    }
  }

  /** The tasks that have ended, with the reason; ECS forgets them after about an hour. */
  async ended(tasks: readonly string[]): Promise<Map<string, string>> {
    const ended = new Map<string, string>();
    for (let at = 0; at < tasks.length; at += TASKS_PER_CALL) {
      const answer = await this.#client.send(
        new DescribeTasksCommand({ cluster: this.#place.cluster, tasks: tasks.slice(at, at + TASKS_PER_CALL) }),
      );
      for (const { taskArn = '', lastStatus, stoppedReason, stopCode } of answer.tasks ?? [])
        if (lastStatus === 'STOPPED') ended.set(taskId(taskArn), stoppedReason ?? stopCode ?? 'it stopped');
      for (const { arn = '' } of answer.failures ?? []) ended.set(taskId(arn), 'it is gone');
    }
    return ended;
  }
}

/** `arn:…:task/cluster/ID` → `ID`. */
function taskId(arn: string): string {
  return arn.slice(arn.lastIndexOf('/') + 1);
}

/** `arn:…:task-definition/family:7` → `family:7`. */
export function buildOf(taskDefinition: string): string {
  return taskDefinition.slice(taskDefinition.lastIndexOf('/') + 1);
}

/** Whether a call failed without effect. Throttling counts, since throttled calls start nothing. */
function isRefusal(error: unknown): error is ECSServiceException {
  return error instanceof ECSServiceException && (error.$metadata.httpStatusCode ?? 500) < 500;
}
