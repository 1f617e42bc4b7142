import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The registry's table and client. */
export interface Registry {
  readonly table: DynamoDBDocumentClient;
  readonly registryTable: string;
  /** The table with events that are no change of a job (`event-rows.ts`); absent: the process tells of none. */
  readonly jobsTable?: string | undefined;
}

/** The registry in a process's environment, with the process's clock. */
export function registryOf<Clock>(process: {
  readonly table: DynamoDBDocumentClient;
  readonly clock: Clock;
  readonly env: { readonly REGISTRY_TABLE: string; readonly JOBS_TABLE?: string };
}): Registry & { readonly clock: Clock } {
  const { table, clock, env } = process;
  return { table, registryTable: env.REGISTRY_TABLE, jobsTable: env.JOBS_TABLE, clock };
}
