import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { type TableClient, tableClient } from '../../platform/aws/clients.ts';
import { TABLES } from '../../platform/aws/tables.ts';
import type { Registry } from '../../platform/registry.ts';
import { startDynamodbEmulator } from '../emulators/dynamodb-emulator.ts';
import { Home } from '../run/home.ts';
import { HomeInUseError, lockHome } from '../run/home-lock.ts';
import { applyEnv } from '../run/local-env.ts';
import { LOCAL_REGION } from '../run/resources.ts';
import { newRunCredentials, type RunCredentials } from '../run-access/run-credentials.ts';

/** The registry table, for an operator's command. */
export type OperatorRegistry = TableClient & Registry;

/** A deployment: the name of its data stack, or the home of a local run. */
export interface OperatorTarget {
  readonly stack: string | undefined;
  readonly home: string;
}

/**
 * Opens the registry for an operator's command: a deployment's by its stack's outputs, or a local home's, whether a
 * service runs on it or not.
 * @throws Error with what to do when there is none
 */
export async function withOperatorRegistry<T>(
  { stack, home: given }: OperatorTarget,
  work: (registry: OperatorRegistry) => Promise<T>,
): Promise<T> {
  if (stack !== undefined) return await work({ ...tableClient(), registryTable: await registryOfStack(stack) });
  if (!existsSync(join(given, 'dynamodb'))) {
    throw new Error(`${given} is no home of a local run; start one with \`npm start\`, or say which with PROMPTQ_HOME`);
  }
  const home = await Home.open(given);
  const running = await home.readOperatorInfo();
  if (running !== undefined && (await answers(running.dynamodb))) {
    const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = running.environment;
    const client = localClient(running.dynamodb, { accessKeyId, secretAccessKey });
    return await work({ ...client, registryTable: running.registry_table });
  }
  return await onIdleHome(home, work);
}

/** Nothing runs on the home: its table is opened for the duration of the command. */
async function onIdleHome<T>(home: Home, work: (registry: OperatorRegistry) => Promise<T>): Promise<T> {
  const lock = await lockHome(home).catch((error: unknown) => {
    if (error instanceof HomeInUseError) throw new Error(`${error.message}; if it is starting, try again in a moment`);
    throw error;
  });
  const { PATH = '', PROMPTQ_DYNAMODB_ENDPOINT: externalEndpoint } = process.env;
  const credentials = newRunCredentials(externalEndpoint ? 'local' : undefined);
  const dynamodb = await startDynamodbEmulator({
    folder: home.folder('dynamodb'),
    credentials,
    env: { PATH },
    log: () => undefined,
    externalEndpoint,
  });
  try {
    return await work({ ...localClient(dynamodb.endpoint, credentials), registryTable: TABLES.registry.id });
  } finally {
    await dynamodb.stop();
    await lock.release();
  }
}

function localClient(endpoint: string, credentials: RunCredentials): TableClient {
  applyEnv(
    {
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_REGION: LOCAL_REGION,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
    },
    process.env,
  );
  return tableClient();
}

/** Whether anything answers at an address. */
export async function answers(endpoint: string): Promise<boolean> {
  return await fetch(endpoint).then(
    () => true,
    () => false,
  );
}

async function registryOfStack(stack: string): Promise<string> {
  // A local run's commands need no such client, and would spend a good part of their time on loading it.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const { Stacks } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName: stack }));
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'RegistryTableName');
  if (output?.OutputValue === undefined)
    throw new Error(`stack ${stack} has no output RegistryTableName; is it the data stack?`);
  return output.OutputValue;
}
