import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { RECONCILER_ID } from '../../../../lib/local/operator/operator-environment.ts';
import { withOperatorRegistry } from '../../../../lib/local/operator/operator-registry.ts';
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

test('a folder that is not a home is refused', async () => {
  const open = withOperatorRegistry({ stack: undefined, home }, async () => await Promise.resolve());
  await expect(open).rejects.toThrow(`${home} is no home of a local run; start one with \`npm start\``);
});
