import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { examineDeployment } from '../../lib/doctor/deployment/examine-deployment.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type OwnService, startService } from '../local-run/local-service.ts';
import { isLongRun } from '../vitest/amount.ts';
import { type StandInAccount, startAwsStandIn } from './aws-stand-in.ts';
import { complaints, diagnose, diagnoseHere, type Report } from './doctor-command.ts';
import { runToken } from './token-command.ts';

/** A deployment whose tables, queues and service are those of a local run, and whose account is a stand-in on loopback. */
const account: StandInAccount = { stacks: {}, parameters: {} };
let aws: Awaited<ReturnType<typeof startAwsStandIn>>;
let service: OwnService;
let programs: string;
let environment: Record<string, string>;

beforeAll(async () => {
  [aws, service, programs] = await Promise.all([
    startAwsStandIn(account),
    startService(),
    mkdtemp(join(tmpdir(), 'promptq-test-')),
  ]);
  environment = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8')).environment;
  const profile = { name: 'with-secret', agent: 'shell', env: { KEY: { secret: 'DEPLOY_KEY' } } };
  expect((await service.api('POST', '/config/import', { profiles: [profile] })).status).toBe(200);
});
afterAll(async () => {
  await service.stop();
  await aws.close();
  await rm(programs, { recursive: true, force: true });
});

beforeEach(() => {
  const complete = { status: 'UPDATE_COMPLETE' };
  account.stacks = {
    'team-data': {
      ...complete,
      outputs: {
        JobsTableName: environment.JOBS_TABLE ?? '',
        RegistryTableName: environment.REGISTRY_TABLE ?? '',
        OutputBucketName: environment.OUTPUT_BUCKET ?? '',
        HighQueueUrl: environment.QUEUE_URL_HIGH ?? '',
        NormalQueueUrl: environment.QUEUE_URL_NORMAL ?? '',
        LowQueueUrl: environment.QUEUE_URL_LOW ?? '',
        DeliveriesQueueUrl: environment.QUEUE_URL_DELIVERIES ?? '',
      },
    },
    'team-api': {
      ...complete,
      outputs: { ApiEndpoint4F160690: 'http://127.0.0.1:1/live/' },
      alarms: ['team-oldest-ready'],
    },
    'team-worker': { ...complete, parameters: ['/team-worker/task-definition'] },
    'team-console': { ...complete, outputs: { ConsoleUrl: service.baseUrl } },
  };
  account.parameters = {
    '/promptq/team/secrets/DEPLOY_KEY': 'SecureString',
    '/team-worker/task-definition': 'String',
  };
});

/** The command `aws`, with the one answer that is needed. */
async function installAws(script: string): Promise<void> {
  await writeFile(join(programs, 'aws'), `#!/bin/sh\n${script}\n`);
  await chmod(join(programs, 'aws'), 0o755);
}

const NONE_RINGS = `echo '{"MetricAlarms": []}'`;

const TEAM = { deploymentName: 'team', timeoutUnit: 'seconds' };

type Env = Record<string, string | undefined>;

function environmentWith(env: Env): Env {
  return {
    PATH: programs,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: environment.AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY: environment.AWS_SECRET_ACCESS_KEY,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_ENDPOINT_URL_CLOUDFORMATION: aws.endpoint,
    AWS_ENDPOINT_URL_SSM: aws.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: environment.AWS_ENDPOINT_URL_DYNAMODB,
    AWS_ENDPOINT_URL_SQS: environment.AWS_ENDPOINT_URL_SQS,
    AWS_ENDPOINT_URL_S3: environment.AWS_ENDPOINT_URL_S3,
    PROMPTQ_S3_PATH_STYLE: environment.PROMPTQ_S3_PATH_STYLE,
    PROMPTQ_TOKEN: service.token,
    ...env,
  };
}

async function runCommand(settings: object): Promise<Report> {
  return await diagnose(['--deployment', 'team', '--settings', JSON.stringify(settings)], environmentWith({}));
}

/** What the command would report. */
async function examine(env: Env = {}, settings?: object): Promise<Report> {
  const given = environmentWith(env);
  const { promptq: file } = cdkJson.context;
  const { version } = packageJson;
  const next = settings === undefined ? file : JSON.stringify(settings);
  const ofCommand = { deploymentName: 'team', settings: next, file, url: undefined, job: undefined };
  const target = { ...ofCommand, version, token: given.PROMPTQ_TOKEN };
  return await diagnoseHere(given, async () => await examineDeployment(target));
}

describe('a deployment', () => {
  it('that is healthy: stacks, alarms, queues, secrets and the service; no value of a secret is read', async () => {
    await installAws(NONE_RINGS);
    const report = await runCommand(TEAM);
    expect(complaints(report)).toEqual([]);
    expect(report.code).toBe(0);
    const { findings } = report;
    expect(findings).toContainEqual({ check: 'stack team-data', state: 'ok', message: 'UPDATE_COMPLETE' });
    expect(findings).toContainEqual({ check: 'alarms', state: 'ok', message: 'none of 1 rings' });
    expect(findings).toContainEqual({ check: 'secrets', state: 'ok', message: '1 secret set' });
    expect(findings).toContainEqual({ check: 'service', state: 'ok', message: `answers at ${service.baseUrl}` });
    expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(['queue high', 'workers']));
    expect(new Set(aws.asked)).toEqual(
      new Set(['DescribeStacks', 'ListStackResources', 'AmazonSSM.DescribeParameters']),
    );
  });

  it('of which stacks are missing, broken, changing or rolled back', async () => {
    await installAws(NONE_RINGS);
    const { 'team-data': data } = account.stacks;
    account.stacks = {
      ...(data && { 'team-data': { ...data, status: 'UPDATE_ROLLBACK_COMPLETE' } }),
      'team-api': { status: 'CREATE_FAILED', reason: 'a quota is reached' },
    };
    const report = await examine();
    expect(complaints(report)).toEqual([
      'warning stack team-data: UPDATE_ROLLBACK_COMPLETE',
      'fault stack team-api: CREATE_FAILED: a quota is reached',
      'fault stack team-worker: is not there',
      'fault stack team-console: is not there',
      'fault service: no stack says where it is',
    ]);
    expect(report.code).toBe(2);
    account.stacks = { 'team-data': { status: 'UPDATE_IN_PROGRESS' } };
    expect(complaints(await examine())).toEqual(
      expect.arrayContaining([
        'warning stack team-data: UPDATE_IN_PROGRESS',
        'fault data: could not be looked at: stack team-data has no output JobsTableName; is it the data stack?',
      ]),
    );
  });

  it('whose secrets are missing, or open', async () => {
    await installAws(NONE_RINGS);
    account.parameters = {};
    expect(complaints(await examine())).toEqual([
      'fault parameters: gone, though a stack has made them: /team-worker/task-definition',
      'fault secrets: /promptq/team/secrets/DEPLOY_KEY is not set; profile with-secret names it',
    ]);
    account.parameters = {
      '/promptq/team/secrets/DEPLOY_KEY': 'String',
      '/team-worker/task-definition': 'String',
    };
    expect(complaints(await examine())).toEqual([
      'fault secrets: /promptq/team/secrets/DEPLOY_KEY is no SecureString; profile with-secret names it',
    ]);
  });

  it.runIf(isLongRun)('whose settings need a secret, and no other', async () => {
    await installAws(NONE_RINGS);
    expect(complaints(await examine({}, { ...TEAM, perimeterSources: ['203.0.113.0/24'] }))).toEqual([
      'fault secrets: /team-data/perimeter-tokens is not set; perimeterSources are set',
    ]);
    expect(complaints(await examine({}, { ...TEAM, telegramUsers: { 17: 'viewer' } }))).toEqual([
      'fault secrets: /team-data/telegram-bot-token is not set; telegramUsers are set',
    ]);
    const refused = await runCommand({ ...TEAM, timeoutUnit: 'hours' });
    expect(refused.code).toBe(2);
    expect(complaints(refused)[0]).toContain('fault settings: the settings of this deployment');
  });

  it("whose profile has a separate value: that one is checked, and no other profile's", async () => {
    await installAws(NONE_RINGS);
    const taskDefinition = { '/team-worker/task-definition': 'String' } as const;
    account.parameters = { ...taskDefinition, '/promptq/team/secrets/with-secret/DEPLOY_KEY': 'SecureString' };
    expect(complaints(await examine())).toEqual([]);
    account.parameters = {
      ...taskDefinition,
      '/promptq/team/secrets/DEPLOY_KEY': 'SecureString',
      '/promptq/team/secrets/with-secret/DEPLOY_KEY': 'String',
    };
    expect(complaints(await examine())).toEqual([
      'fault secrets: /promptq/team/secrets/with-secret/DEPLOY_KEY is no SecureString; profile with-secret names it',
    ]);
    account.parameters = { ...taskDefinition, '/promptq/team/secrets/other/DEPLOY_KEY': 'SecureString' };
    expect(complaints(await examine())).toEqual([
      'fault secrets: /promptq/team/secrets/DEPLOY_KEY is not set; profile with-secret names it',
    ]);
  });

  it.runIf(isLongRun)("whose alarms are active, or can't be read", async () => {
    const alarm = { AlarmName: 'team-oldest-ready', AlarmDescription: 'Runbook: "oldest"', StateReason: '1 datapoint' };
    await installAws(`case "$*" in
      *"--state-value ALARM"*"--alarm-names team-oldest-ready") echo '${JSON.stringify({ MetricAlarms: [alarm] })}';;
    esac`);
    const report = await examine();
    expect(complaints(report)).toEqual(['fault alarms: team-oldest-ready: 1 datapoint']);
    expect(report.findings.find(({ check }) => check === 'alarms')?.advice).toBe('Runbook: "oldest"');
    await installAws('echo "AccessDenied" >&2; exit 254');
    expect(complaints(await examine())).toEqual([
      expect.stringMatching(/^warning alarms: 1 alarm could not .*AccessDenied/),
    ]);
    await rm(join(programs, 'aws'));
    expect(complaints(await examine())).toEqual([
      'warning alarms: 1 alarm could not be looked at: there is no command `aws`',
    ]);
  });

  it('whose tokens lose routes when scopes are enforced', async () => {
    await installAws(NONE_RINGS);
    const { id } = JSON.parse((await runToken(service.home, 'create', '--name', 'nightly', '--json')).stdout);
    const report = await examine();
    await runToken(service.home, 'revoke', id);
    expect(complaints(report)).toEqual([
      expect.stringMatching(
        /^warning token scopes: "nightly" \(tok_\w+, never used\) have read, write; with enforcement they lose logs: GET /,
      ),
    ]);
    expect(report.code).toBe(1);
  });

  it('without a token, without credentials', async () => {
    await installAws(NONE_RINGS);
    const tokenless = await examine({ PROMPTQ_TOKEN: undefined });
    expect(complaints(tokenless)).toEqual([
      `warning service: at ${service.baseUrl} was not looked at: there is no token`,
    ]);
    expect(tokenless.code).toBe(1);
    const stranger = await examine({
      AWS_ACCESS_KEY_ID: undefined,
      AWS_SECRET_ACCESS_KEY: undefined,
      AWS_EC2_METADATA_DISABLED: 'true',
    });
    expect(complaints(stranger)).toEqual([
      expect.stringMatching(/^fault stacks: could not be looked at: .*[Cc]redentials/),
    ]);
    expect(stranger.code).toBe(2);
  });
});
