import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type PracticeVendor, startPracticeVendor } from '../practice-vendor/practice-vendor.ts';
import type { Home } from '../run/home.ts';
import { killOrphans } from '../run/leftovers.ts';
import { emulatorEnv } from '../run/local-env.ts';
import type { Endpoints } from '../run/resources.ts';
import type { Shutdown } from '../run/shutdown.ts';
import { newRunCredentials } from '../run-access/run-credentials.ts';
import { type DynamodbEmulator, startDynamodbEmulator } from './dynamodb-emulator.ts';
import { startObjectAndQueueEmulator } from './object-and-queue-emulator.ts';

interface EmulatorOptions {
  readonly home: Home;
  /** The environment of the local run's process. */
  readonly source: Readonly<Record<string, string | undefined>>;
  readonly log: (line: string) => void;
  readonly shutdown: Shutdown;
}

/** Starts all emulators and stand-ins in parallel. */
export async function startEmulators(options: EmulatorOptions): Promise<{
  endpoints: Endpoints;
  vendor: PracticeVendor;
  tables: Pick<DynamodbEmulator, 'trimStream' | 'writes'>;
  /** Ends all other processes of the run. @throws Error if some remain */
  endLeftovers: () => Promise<unknown>;
}> {
  const { home, source, log, shutdown } = options;
  // DynamoDB Local keeps a database for each access key ID: the next run must find its data.
  const credentials = newRunCredentials(source.PROMPTQ_DYNAMODB_ENDPOINT ? 'local' : undefined);
  const apiKey = await home.keep('practice-key', () => randomBytes(32).toString('base64url'));
  const [dynamodb, objectsAndQueues, vendor] = await Promise.all([
    startDynamodbEmulator({
      folder: home.folder('dynamodb'),
      credentials,
      // A run stores its token once it has created its tables.
      isUsed: (await home.readToken()) !== undefined,
      env: emulatorEnv(home.path, source),
      externalEndpoint: source.PROMPTQ_DYNAMODB_ENDPOINT,
      log,
    }),
    startObjectAndQueueEmulator(home.folder('s3'), credentials, log),
    startPracticeVendor({ apiKey, loginsFile: join(home.folder('practice'), 'logins.json') }),
  ]);
  const endLeftovers = async () => await killOrphans(home.path, dynamodb.pids());
  shutdown.add('leftovers', endLeftovers);
  shutdown.add('service', async () => await vendor.close());
  shutdown.add('emulators', objectsAndQueues.close);
  shutdown.add('emulators', dynamodb.stop);
  const endpoints = { dynamodb: dynamodb.endpoint, objectsAndQueues: objectsAndQueues.endpoint, credentials };
  return { endpoints, vendor, tables: dynamodb, endLeftovers };
}
