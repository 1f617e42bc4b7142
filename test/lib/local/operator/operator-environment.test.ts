import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  enterDeployment,
  enterReconciler,
  RECONCILER_ID,
} from '../../../../lib/local/operator/operator-environment.ts';
import { withOperatorRegistry } from '../../../../lib/local/operator/operator-registry.ts';
import { readScopeEnforcement } from '../../../../lib/local/operator/scope-enforcement.ts';
import { Home } from '../../../../lib/local/run/home.ts';
import { lockHome } from '../../../../lib/local/run/home-lock.ts';
import { type StandInAccount, startAwsStandIn } from '../../../bin/aws-stand-in.ts';

const OUTPUTS = {
  JobsTableName: 'jobs',
  RegistryTableName: 'registry',
  OutputBucketName: 'output',
  HighQueueUrl: 'h',
  NormalQueueUrl: 'n',
  LowQueueUrl: 'l',
  DeliveriesQueueUrl: 'd',
};
const account: StandInAccount = { stacks: {}, parameters: {} };
let aws: Awaited<ReturnType<typeof startAwsStandIn>>;
let home: string;
/** The environment of this process, which commands change. */
let before: NodeJS.ProcessEnv;
beforeAll(async () => {
  aws = await startAwsStandIn(account);
});
afterAll(async () => await aws.close());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  before = { ...process.env };
  Object.assign(process.env, {
    ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
    ...{ AWS_ENDPOINT_URL: aws.endpoint, AWS_MAX_ATTEMPTS: '1' },
  });
  account.stacks = {
    'team-data': { status: 'CREATE_COMPLETE', outputs: OUTPUTS },
    'team-api': {
      status: 'CREATE_COMPLETE',
      functions: {
        [`${RECONCILER_ID}ABCD1234`]: { PROMPTQ_TIMEOUT_UNIT: 'minutes' },
        [`X${RECONCILER_ID}1234567`]: {},
      },
    },
  };
});
afterEach(async () => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, before);
  await rm(home, { recursive: true });
});

test("a command gets the environment that a deployment's functions have, by the outputs of its data stack", async () => {
  await enterDeployment({ stack: 'team-data', home });
  expect(process.env).toMatchObject({
    ...{ JOBS_TABLE: 'jobs', REGISTRY_TABLE: 'registry', OUTPUT_BUCKET: 'output', QUEUE_URL_HIGH: 'h' },
    ...{ QUEUE_URL_NORMAL: 'n', QUEUE_URL_LOW: 'l', QUEUE_URL_DELIVERIES: 'd', PROMPTQ_TIMEOUT_UNIT: 'seconds' },
  });
  const opened = await withOperatorRegistry(
    { stack: 'team-data', home },
    async ({ registryTable }) => await Promise.resolve(registryTable),
  );
  expect(opened).toBe('registry');
  expect(await readScopeEnforcement({ stack: 'team-data', home })).toBeUndefined();
});

test('a stack that is no data stack is named', async () => {
  account.stacks = { other: { status: 'CREATE_COMPLETE', outputs: { JobsTableName: 'jobs' } } };
  await expect(enterDeployment({ stack: 'other', home })).rejects.toThrow(
    'stack other has no output RegistryTableName; is it the data stack?',
  );
  const open = withOperatorRegistry({ stack: 'other', home }, async () => await Promise.resolve());
  await expect(open).rejects.toThrow('stack other has no output RegistryTableName; is it the data stack?');
});

test("a command that reconciles gets the settings of the deployment's reconciler and none of this machine's", async () => {
  Object.assign(process.env, { PROMPTQ_WORKSPACES: '/own', PROMPTQ_TIMEOUT_UNIT: 'seconds' });
  await enterReconciler({ stack: 'team-data', home });
  expect([process.env.PROMPTQ_TIMEOUT_UNIT, process.env.PROMPTQ_WORKSPACES]).toEqual(['minutes', undefined]);
  await expect(enterReconciler({ stack: 'team', home })).rejects.toThrow('team is not the name of a data stack');
  account.stacks = { 'team-api': { status: 'CREATE_COMPLETE', functions: {} } };
  await expect(enterReconciler({ stack: 'team-data', home })).rejects.toThrow(
    `stack team-api has no function ${RECONCILER_ID}; deploy it, and repeat the command`,
  );
});

test('a command on a home gets the environment of its run, if one answers', async () => {
  const nothing = `no service runs on ${home}; start it with \`npm start\``;
  for (const enter of [enterDeployment, enterReconciler])
    await expect(enter({ stack: undefined, home })).rejects.toThrow(nothing);
  const tables = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  onTestFinished(() => {
    tables.closeAllConnections();
    tables.close();
  });
  await once(tables, 'listening');
  const run = {
    dynamodb: `http://127.0.0.1:${(tables.address() as AddressInfo).port}`,
    ...{ registry_table: 'Registry', practice_url: 'http://127.0.0.1:9/', practice_key: 'k' },
    environment: { JOBS_TABLE: 'Jobs', AWS_REGION: 'local', PROMPTQ_API_SCOPE_ENFORCE: '1' },
  };
  const opened = await Home.open(home);
  await opened.writeOperatorInfo({ ...run, dynamodb: 'http://127.0.0.1:9/' });
  await expect(enterDeployment({ stack: undefined, home })).rejects.toThrow(nothing);
  await opened.writeOperatorInfo(run);
  expect(await readScopeEnforcement({ stack: undefined, home })).toBe(true);
  await enterDeployment({ stack: undefined, home });
  expect([process.env.JOBS_TABLE, process.env.AWS_REGION, process.env.AWS_ENDPOINT_URL]).toEqual([
    'Jobs',
    'local',
    undefined,
  ]);
  await opened.removeInfo();
  expect(await readScopeEnforcement({ stack: undefined, home })).toBe(true);
});

test('a folder that is no home is not opened as one', async () => {
  const open = withOperatorRegistry({ stack: undefined, home }, async () => await Promise.resolve());
  await expect(open).rejects.toThrow(`${home} is no home of a local run; start one with \`npm start\``);
});

test("a home on which nothing runs is opened in the operator's own DynamoDB under a key that stays the same", async () => {
  await mkdir(join(home, 'dynamodb'));
  process.env.PROMPTQ_DYNAMODB_ENDPOINT = 'http://127.0.0.1:9';
  const work = async ({ registryTable }: { registryTable: string }) =>
    await Promise.resolve([registryTable, process.env.AWS_ACCESS_KEY_ID, process.env.AWS_ENDPOINT_URL_DYNAMODB]);
  const opened = await withOperatorRegistry({ stack: undefined, home }, work);
  expect(opened).toEqual(['Registry', 'local', 'http://127.0.0.1:9']);
  // The home is free for a run again.
  await (await lockHome(await Home.open(home))).release();
});
