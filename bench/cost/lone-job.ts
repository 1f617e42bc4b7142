import * as z from 'zod';
import type { WorkerSize } from './job-price.ts';
import { FARGATE_MINIMUM_SECONDS, taskHour } from './prices.ts';
import type { Resource } from './templates.ts';

/** What is taken, not counted, of the life of a worker that runs one job. */
export const LONE_WORKER = {
  /** Seconds from the pulling of the image to the claim: containers of this size start within 30 to 60 s. */
  startSeconds: 45,
  /** Seconds of the last poll before it ends: the long poll in progress, and one more of a second. */
  lastLookSeconds: 21,
} as const;

const taskSchema = z.object({
  ContainerDefinitions: z.array(
    z.object({ Environment: z.array(z.object({ Name: z.string(), Value: z.unknown() })).default([]) }),
  ),
});

/** Seconds without work after which a worker leaves, as the template has it. */
export function idleSeconds(resources: ReadonlyMap<string, Resource>): number {
  const task = [...resources.values()].find(({ Type }) => Type === 'AWS::ECS::TaskDefinition');
  const variables = taskSchema.parse(task?.Properties).ContainerDefinitions.flatMap(({ Environment }) => Environment);
  return z.coerce.number().parse(variables.find(({ Name }) => Name === 'PROMPTQ_IDLE_SECONDS')?.Value);
}

/** Seconds of a worker that are billed where it is started for one job and runs no other. */
export function loneSeconds(runSeconds: number, idleFor: number): number {
  const life = LONE_WORKER.startSeconds + runSeconds + idleFor + LONE_WORKER.lastLookSeconds;
  return Math.max(FARGATE_MINIMUM_SECONDS, life);
}

/** Dollars for so many seconds of a worker. */
export function workerTime(seconds: number, worker: WorkerSize, spot = false): number {
  return (taskHour({ ...worker, spot }) / 3_600) * seconds;
}
