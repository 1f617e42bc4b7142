import { expect, test } from 'vitest';
import { emulatorEnv, localEnv, signInSettings, workerProcessEnv } from '../../../../lib/local/run/local-env.ts';

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

test('each process gets its settings and no other variable of the environment', () => {
  expect(givenIn(localEnv('/h', RESOURCES, ENDPOINTS, SOURCE))).toEqual(SETTINGS.toSorted());
  expect(givenIn(workerProcessEnv('/h', { baseUrl: 'u', apiKey: 'k' }, SOURCE))).toEqual(OF_WORKER.toSorted());
  expect(givenIn(emulatorEnv('/h', SOURCE))).toEqual(['NODE_COMPILE_CACHE', 'PATH']);
  expect(givenIn(signInSettings(SOURCE))).toEqual([...OF_SIGN_IN, ...OF_PROVIDER].toSorted());
  expect(givenIn(signInSettings({ ...SOURCE, PROMPTQ_OIDC_ISSUER: '' }))).toEqual(OF_SIGN_IN.toSorted());
});
