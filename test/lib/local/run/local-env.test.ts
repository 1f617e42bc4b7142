import { expect, test } from 'vitest';
import {
  declaredHosts,
  emulatorEnv,
  localEnv,
  signInSettings,
  workerProcessEnv,
} from '../../../../lib/local/run/local-env.ts';

const RESOURCES = {
  jobsTable: 'Jobs',
  registryTable: 'Registry',
  outputBucket: 'output',
  queueUrls: { high: 'h', normal: 'n', low: 'l' },
  deliveriesUrl: 'd',
};
const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
const ENDPOINTS = { dynamodb: 'http://dynamodb', objectsAndQueues: 'http://others', credentials };

/** What an operator may set for the functions and the worker, and what for the worker alone. */
const SETTINGS = [
  ...[
    'TIMEOUT_UNIT',
    'DEFAULT_PROFILE',
    'ALLOWED_ROOTS',
    'API_SCOPE_ENFORCE',
    'MAX_BODY_BYTES',
    'ACCOUNT_PROBE_SECONDS',
  ],
  ...[
    'USAGE_PROBE_SECONDS',
    'OVERLOAD_PROBE_SECONDS',
    'DEPLOY_COMMANDS',
    'SANDBOXES',
    'AGENTS',
    'CALLS_TO_LOOPBACK',
    'CALL_PAUSES',
  ],
  ...['PERIMETER_SOURCES', 'TELEGRAM_USERS', 'TOKEN_RATE', 'FOLLOW_STREAMS', 'VENDOR', 'ACCOUNT_VENDORS'],
  ...['REPOSITORY_LOOPBACK', 'RETENTION_DAYS', 'WORKSPACE_DAYS'],
].map((name) => `PROMPTQ_${name}`);
const OF_WORKER = [
  ...['CONCURRENCY', 'SLOT_UID', 'PLATFORM', 'OUTPUT_BYTES', 'ANSWER_WAIT_SECONDS'].map((name) => `PROMPTQ_${name}`),
  ...['PATH', 'HOME', 'LANG', 'TMPDIR', 'NODE_COMPILE_CACHE', 'PROMPTQ_SECRET_A'],
];
const OF_SIGN_IN = ['PUBLIC_ORIGIN', 'SESSION_IDLE_SECONDS', 'SESSION_MAX_SECONDS'].map((name) => `PROMPTQ_${name}`);
const OF_PROVIDER = ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET_AT', 'ROLE_CLAIM', 'ROLES'].map(
  (name) => `PROMPTQ_OIDC_${name}`,
);
const ALL = [...SETTINGS, ...OF_WORKER, ...OF_SIGN_IN, ...OF_PROVIDER, 'PROMPTQ_OTHER', 'OTHER'];
const SOURCE = Object.fromEntries(ALL.map((name) => [name, 'given']));

const givenIn = (block: Readonly<Record<string, string>>) =>
  Object.keys(block)
    .filter((name) => block[name] === 'given')
    .toSorted();

test('each process gets the settings that are its own, and nothing else of the environment', () => {
  expect(givenIn(localEnv('/h', RESOURCES, ENDPOINTS, SOURCE))).toEqual(SETTINGS.toSorted());
  expect(givenIn(workerProcessEnv('/h', { baseUrl: 'u', apiKey: 'k' }, SOURCE))).toEqual(OF_WORKER.toSorted());
  expect(givenIn(emulatorEnv('/h', SOURCE))).toEqual(['NODE_COMPILE_CACHE', 'PATH']);
  expect(givenIn(signInSettings(SOURCE))).toEqual([...OF_SIGN_IN, ...OF_PROVIDER].toSorted());
  expect(givenIn(signInSettings({ ...SOURCE, PROMPTQ_OIDC_ISSUER: '' }))).toEqual(OF_SIGN_IN.toSorted());
});

test('a setting that is empty is not set', () => {
  const empty = Object.fromEntries(ALL.map((name) => [name, '']));
  expect(localEnv('/h', RESOURCES, ENDPOINTS, empty)).toEqual(localEnv('/h', RESOURCES, ENDPOINTS, {}));
  expect(localEnv('/h', RESOURCES, ENDPOINTS, {})).toMatchObject({
    ...{ JOBS_TABLE: 'Jobs', REGISTRY_TABLE: 'Registry', OUTPUT_BUCKET: 'output' },
    ...{ QUEUE_URL_HIGH: 'h', QUEUE_URL_NORMAL: 'n', QUEUE_URL_LOW: 'l', QUEUE_URL_DELIVERIES: 'd' },
    ...{ AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret', AWS_CONFIG_FILE: '/dev/null' },
    ...{ AWS_ENDPOINT_URL_DYNAMODB: 'http://dynamodb', AWS_ENDPOINT_URL_SQS: 'http://others' },
    ...{ PROMPTQ_VENDOR: 'practice', PROMPTQ_DEFAULT_PROFILE: 'practice', PROMPTQ_S3_PATH_STYLE: '1' },
    ...{ PROMPTQ_WORKSPACES: '/h/workspaces', PROMPTQ_SECRETS: 'file:/h/secrets', PROMPTQ_RUN_HOME: '/h' },
  });
  expect(workerProcessEnv('/h', { baseUrl: 'u', apiKey: 'k' }, empty)).toEqual({
    ...{ PROMPTQ_CONCURRENCY: '2', PROMPTQ_WORK_DIR: '/h/worker', PROMPTQ_ACCOUNT_DIR: '/h/account' },
    ...{ PROMPTQ_STOP_GRACE_SECONDS: '5', MALLOC_ARENA_MAX: '2', PROMPTQ_SECRETS_FILE: '/h/secrets.env' },
    ...{ PROMPTQ_PRACTICE_URL: 'u', PROMPTQ_PRACTICE_KEY: 'k' },
  });
});

test('a host is declared by an origin, and by nothing that is none', () => {
  const hosts = (origin?: string) => declaredHosts({ PROMPTQ_PUBLIC_ORIGIN: origin });
  expect([hosts(), hosts(''), hosts('no origin'), hosts('https://a.example:8443')]).toEqual([
    [],
    [],
    [],
    ['a.example:8443'],
  ]);
});
