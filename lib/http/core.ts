import { Logger } from '@aws-lambda-powertools/logger';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { TokenStore } from '../access/token-store.ts';
import { tableClient } from '../aws/clients.ts';
import type { TableClock } from '../aws/table-clock.ts';
import { type ApiEnv, apiEnv, readEnv } from '../config/env.ts';

/** What every function of the API has; made once per process. */
export interface Core {
  readonly env: ApiEnv;
  readonly table: DynamoDBDocumentClient;
  readonly clock: TableClock;
  readonly tokens: TokenStore;
  readonly log: Logger;
}

let core: Core | undefined;

/** @throws Error that names every fault of the environment. */
export function openCore(): Core {
  core ??= createCore();
  return core;
}

function createCore(): Core {
  const env = readEnv(apiEnv);
  const { table, clock } = tableClient();
  const tokens = new TokenStore({ table, registryTable: env.REGISTRY_TABLE, clock });
  return { env, table, clock, tokens, log: new Logger({ serviceName: 'promptq-api' }) };
}
