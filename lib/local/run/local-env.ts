import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { grantsFile } from '../../platform/config/granted-folders.ts';
import { SECRET_PREFIX } from '../../platform/config/read-env.ts';
import { userPath, withoutLoopback } from '../../platform/config/surroundings.ts';
import { settingsOf } from '../settings/settings.ts';
import { checkoutCommit } from './checkout-commit.ts';
import { type Endpoints, LOCAL_REGION, type Resources } from './resources.ts';

/** Marks every descendant process of a run of this home; its value is the home's real path. */
export const RUN_MARK = 'PROMPTQ_RUN_HOME';

/** Variables of the caller's environment that the worker inherits. */
const WORKER_SETTINGS = [
  ...settingsOf('worker'),
  'HOME',
  'LANG',
  'TMPDIR',
  // Node's compile cache.
  'NODE_COMPILE_CACHE',
];

/** Variables of the caller's environment that the DynamoDB emulator inherits: where programs are, Node's compile cache. */
const EMULATOR_SETTINGS = ['PATH', 'NODE_COMPILE_CACHE'];

type Source = Readonly<Record<string, string | undefined>>;
export type EnvBlock = Readonly<Record<string, string>>;

/** The environment of a local run's functions and worker: a deployment's variables with local values. */
export function localEnv(home: string, resources: Resources, endpoints: Endpoints, source: Source): EnvBlock {
  return {
    JOBS_TABLE: resources.jobsTable,
    REGISTRY_TABLE: resources.registryTable,
    OUTPUT_BUCKET: resources.outputBucket,
    QUEUE_URL_HIGH: resources.queueUrls.high,
    QUEUE_URL_NORMAL: resources.queueUrls.normal,
    QUEUE_URL_LOW: resources.queueUrls.low,
    QUEUE_URL_DELIVERIES: resources.deliveriesUrl,
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: endpoints.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: endpoints.credentials.secretAccessKey,
    // A user's own files could redirect the SDK, or make it reject an endpoint (FIPS).
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: endpoints.objectsAndQueues,
    AWS_ENDPOINT_URL_S3: endpoints.objectsAndQueues,
    // The metrics' service name in the logs.
    POWERTOOLS_SERVICE_NAME: 'local',
    PROMPTQ_S3_PATH_STYLE: '1',
    PROMPTQ_TIMEOUT_UNIT: 'seconds',
    PROMPTQ_DEFAULT_PROFILE: 'practice',
    PROMPTQ_VENDOR: 'practice',
    PROMPTQ_TELEGRAM_UPDATES: 'polling',
    PROMPTQ_WORKSPACES: join(home, 'workspaces'),
    PROMPTQ_TEMP: tmpdir(),
    PROMPTQ_GRANTED_FOLDERS: grantsFile(source),
    PROMPTQ_VERSION: packageJson.version,
    ...given(['PROMPTQ_COMMIT'], { PROMPTQ_COMMIT: checkoutCommit(join(import.meta.dirname, '../../..')) }),
    PROMPTQ_SECRETS: `file:${join(home, 'secrets')}`,
    [RUN_MARK]: home,
    ...given(settingsOf('all'), source),
  };
}

/** The worker's variables beyond `localEnv`; no others of the caller's environment are passed on. */
export function workerProcessEnv(
  home: string,
  practice: { baseUrl: string; apiKey: string },
  source: Source,
): EnvBlock {
  return {
    PROMPTQ_CONCURRENCY: '2',
    PROMPTQ_WORK_DIR: join(home, 'worker'),
    PROMPTQ_ACCOUNT_DIR: join(home, 'account'),
    PROMPTQ_STOP_GRACE_SECONDS: '5',
    // glibc's per-thread arenas would retain the memory of freed output buffers.
    MALLOC_ARENA_MAX: '2',
    PROMPTQ_PRACTICE_URL: practice.baseUrl,
    PROMPTQ_PRACTICE_KEY: practice.apiKey,
    PROMPTQ_SECRETS_FILE: join(home, 'secrets.env'),
    ...secretsIn(source),
    ...given(WORKER_SETTINGS, source),
    ...withoutLoopback(source),
    ...given(['PATH'], { PATH: userPath(source) }),
  };
}

/** All variables of the DynamoDB emulator's processes. */
export function emulatorEnv(home: string, source: Source): EnvBlock {
  return { [RUN_MARK]: home, ...given(EMULATOR_SETTINGS, source) };
}

/** The operator's sign-in settings; those of an identity provider only if its issuer is set. */
export function signInSettings(source: Source): EnvBlock {
  const provider = source.PROMPTQ_OIDC_ISSUER ? settingsOf('identity-provider') : [];
  return given([...settingsOf('sign-in'), ...provider], source);
}

/** The service's host names that the operator declares, such as a proxy's. */
export function declaredHosts({ PROMPTQ_PUBLIC_ORIGIN: origin }: Source): readonly string[] {
  return origin === undefined || !URL.canParse(origin) ? [] : [new URL(origin).host];
}

/** Applies the block to an environment, and removes all variables that could lead the SDK to a real account. */
export function applyEnv(block: EnvBlock, target: Record<string, string | undefined>): void {
  for (const name of Object.keys(target)) if (name.startsWith('AWS_')) delete target[name];
  Object.assign(target, block);
}

/** The operator's secrets, for the worker only. */
function secretsIn(source: Source): Record<string, string> {
  return given(
    Object.keys(source).filter((name) => name.startsWith(SECRET_PREFIX)),
    source,
  );
}

function given(names: readonly string[], source: Source): Record<string, string> {
  const set = names.map((name) => [name, source[name]]).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(set);
}
