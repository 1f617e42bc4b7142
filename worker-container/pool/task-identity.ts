import * as z from 'zod';

/** https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-metadata-endpoint-v4-fargate-response.html */
const taskSchema = z.object({ TaskARN: z.string(), Family: z.string(), Revision: z.string() });

/** The task that this worker runs in. */
export interface OwnTask {
  readonly task: string;
  /** Its task definition, `family:revision`. */
  readonly build: string;
}

/** Milliseconds. */
const TIMEOUT_MS = 5_000;

/** Asks ECS for this task's identity; undefined: the worker runs in none. @throws if ECS does not answer */
export async function readTaskIdentity(metadataUri: string | undefined): Promise<OwnTask | undefined> {
  if (metadataUri === undefined) return undefined;
  const answer = await fetch(`${metadataUri}/task`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { TaskARN, Family, Revision } = taskSchema.parse(await answer.json());
  return { task: TaskARN.slice(TaskARN.lastIndexOf('/') + 1), build: `${Family}:${Revision}` };
}
