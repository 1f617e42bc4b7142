import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The registry's table and client. */
export interface Registry {
  readonly table: DynamoDBDocumentClient;
  readonly registryTable: string;
}

/** The registry in a process's environment, with the process's clock. */
export function registryOf<Clock>(process: {
  readonly table: DynamoDBDocumentClient;
  readonly clock: Clock;
  readonly env: { readonly REGISTRY_TABLE: string };
}): Registry & { readonly clock: Clock } {
  return { table: process.table, registryTable: process.env.REGISTRY_TABLE, clock: process.clock };
}
