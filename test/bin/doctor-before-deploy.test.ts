import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { complaints, diagnose, type Report } from './doctor-command.ts';
import { WITHOUT_SDK } from './without-package.ts';

/** Stand-ins of the programs `aws` and `docker`: what each answers, by what it is asked. */
let programs: string;
beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterAll(async () => {
  await rm(programs, { recursive: true, force: true });
});

/** A line that a program writes to stderr, ending with an error. */
class Failure {
  readonly line: string;
  constructor(line: string) {
    this.line = line;
  }
}
type Answers = Record<string, unknown>;

async function install(program: string, answers: Answers): Promise<void> {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const cases = Object.entries(answers).map(([asked, answer]) =>
    answer instanceof Failure
      ? `${quoted(asked)}*) echo ${quoted(answer.line)} >&2; exit 254;;`
      : `${quoted(asked)}*) echo ${quoted(typeof answer === 'string' ? answer : JSON.stringify(answer))};;`,
  );
  const script = `#!/bin/sh\ncase "$*" in\n${cases.join('\n')}\n*) echo "unexpected: $*" >&2; exit 2;;\nesac\n`;
  await writeFile(join(programs, program), script);
  await chmod(join(programs, program), 0o755);
}

const quota = (Value: number) => ({ Quota: { Value } });
const missing = (name: string) =>
  new Failure(`An error occurred (ValidationError): Stack with id ${name} does not exist`);
const AWS: Answers = {
  'configure get region': new Failure(''),
  'sts get-caller-identity': { Account: '111122223333', Arn: 'arn:aws:iam::111122223333:user/ada', UserId: 'A' },
  'ssm get-parameter --name /cdk-bootstrap/hnb659fds/version': { Parameter: { Value: '30' } },
  'iam get-role --role-name AWSServiceRoleForECS': { Role: {} },
  'lambda get-account-settings': { AccountLimit: { ConcurrentExecutions: 1_000 } },
  'service-quotas get-service-quota --service-code fargate --quota-code L-3032A538': quota(10),
  'service-quotas get-service-quota --service-code fargate --quota-code L-36FBB829': quota(10),
  'cloudfront list-distributions': '"E1"',
  'cloudformation describe-stacks --stack-name team-data': missing('team-data'),
  'cloudformation describe-stacks --stack-name team-api': missing('team-api'),
  'cloudformation describe-stacks --stack-name team-worker': missing('team-worker'),
  'cloudformation describe-stacks --stack-name team-console': missing('team-console'),
};
const DOCKER: Answers = {
  'version --format': 'linux/arm64',
  'buildx inspect': 'Name:   default\nNodes:\nPlatforms: linux/arm64*, linux/arm/v7',
};
const SETTINGS = { timeoutUnit: 'seconds', deploymentName: 'team', adminEmail: 'ada@example.com' };

beforeEach(async () => {
  await install('aws', AWS);
  await install('docker', DOCKER);
});

async function examine(settings: object = {}, env: Record<string, string | undefined> = {}): Promise<Report> {
  return await diagnose(['--before-deploy', '--settings', JSON.stringify({ ...SETTINGS, ...settings })], {
    PATH: programs,
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: undefined,
    CDK_DOCKER: undefined,
    ...env,
  });
}
const adviceOf = ({ findings }: Report, check: string) => findings.find((one) => one.check === check)?.advice;

describe('before a deployment the doctor', () => {
  it('finds nothing to do if everything is ready, without loading the SDK', async () => {
    const report = await examine({}, WITHOUT_SDK);
    expect(complaints(report)).toEqual([]);
    expect(report.code).toBe(0);
    expect(report.findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([
      'settings: right, for the deployment team',
      'docker: runs on linux/arm64',
      "image: built for linux/arm64, which is Docker's own platform",
      'credentials: account 111122223333, as arn:aws:iam::111122223333:user/ada',
      'region: us-east-1',
      'bootstrap: version 30',
      'ECS role: the service-linked role is there',
      'Lambda quota: 1000 functions at once, for all that runs in this account and region',
      'Fargate On-Demand quota: 10 vCPU; 10 workers (maxWorkers) take 10',
      'CloudFront: this account has distributions',
      'stacks: none blocks the deployment',
    ]);
  });

  it('lists the steps for a new account, with the commands', async () => {
    await install('aws', {
      ...AWS,
      'ssm get-parameter --name /cdk-bootstrap/hnb659fds/version': new Failure('An error occurred (ParameterNotFound)'),
      'iam get-role --role-name AWSServiceRoleForECS': new Failure(
        'An error occurred (NoSuchEntity): cannot be found.',
      ),
      'lambda get-account-settings': { AccountLimit: { ConcurrentExecutions: 10 } },
      'service-quotas get-service-quota --service-code fargate --quota-code L-3032A538': new Failure(
        'An error occurred (NoSuchResourceException)',
      ),
      'service-quotas get-aws-default-service-quota --service-code fargate --quota-code L-3032A538': quota(6),
      'cloudfront list-distributions': 'null',
    });
    const report = await examine();
    expect(complaints(report)).toEqual([
      'fault bootstrap: this account and region are not prepared for the CDK',
      expect.stringMatching(/^warning ECS role: .*Unable to assume the service linked role/),
      expect.stringMatching(/^warning Lambda quota: 10 functions at once/),
      'warning Fargate On-Demand quota: 6 vCPU; 10 workers (maxWorkers) take 10: further launches fail and are tried again',
      expect.stringMatching(/^warning CloudFront: /),
    ]);
    expect(report.code).toBe(2);
    expect(adviceOf(report, 'bootstrap')).toContain('npx cdk bootstrap');
    expect(adviceOf(report, 'ECS role')).toContain(
      'aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com',
    );
    const increase = 'aws service-quotas request-service-quota-increase --service-code';
    expect(adviceOf(report, 'Lambda quota')).toContain(
      `${increase} lambda --quota-code L-B99A9384 --desired-value 1000`,
    );
    expect(adviceOf(report, 'Fargate On-Demand quota')).toContain(
      `${increase} fargate --quota-code L-3032A538 --desired-value 10`,
    );
    expect(adviceOf(report, 'CloudFront')).toContain('Your account must be verified before you can add new CloudFront');
  });

  it('checks both kinds of Fargate by the share of Spot, and fails if no worker could start', async () => {
    await install('aws', {
      ...AWS,
      'service-quotas get-service-quota --service-code fargate --quota-code L-36FBB829': quota(0),
    });
    expect(complaints(await examine({ maxWorkers: 12, spotWeight: 75 }))).toEqual([
      'fault Fargate Spot quota: 0 vCPU; 9 workers (maxWorkers) take 9: no worker can start',
    ]);
    expect(complaints(await examine({ maxWorkers: 10, spotWeight: 0 }))).toEqual([]);
  });

  it("finds a bootstrap that is too old, and a stack that can't be created again", async () => {
    await install('aws', {
      ...AWS,
      'ssm get-parameter --name /cdk-bootstrap/hnb659fds/version': { Parameter: { Value: '5' } },
      'cloudformation describe-stacks --stack-name team-data': {
        Stacks: [{ StackStatus: 'ROLLBACK_COMPLETE', EnableTerminationProtection: true }],
      },
      'cloudformation describe-stacks --stack-name team-api': {
        Stacks: [{ StackStatus: 'ROLLBACK_COMPLETE', EnableTerminationProtection: false }],
      },
    });
    const report = await examine();
    expect(complaints(report)).toEqual([
      'fault bootstrap: version 5; 6 is needed',
      expect.stringMatching(/^fault stack team-data: ROLLBACK_COMPLETE: its creation failed/),
    ]);
    expect(adviceOf(report, 'stack team-data')).toContain('--no-enable-termination-protection --stack-name team-data');
  });

  it.each(['DELETE_FAILED', 'UPDATE_ROLLBACK_FAILED'])(
    'finds a stack that is %s, and where to look',
    async (status) => {
      await install('aws', {
        ...AWS,
        'cloudformation describe-stacks --stack-name team-api': { Stacks: [{ StackStatus: status }] },
      });
      const report = await examine();
      expect(complaints(report)).toEqual([`fault stack team-api: ${status}`]);
      expect(adviceOf(report, 'stack team-api')).toContain('upgrades.md');
    },
  );

  it('reports that Docker is missing, does not run, or lacks BuildKit', async () => {
    await install('docker', { version: new Failure('Cannot connect to the Docker daemon. Is it running?') });
    expect(complaints(await examine())).toEqual(['fault docker: Cannot connect to the Docker daemon. Is it running?']);
    await install('docker', { ...DOCKER, 'buildx inspect': new Failure("docker: 'buildx' is not a docker command.") });
    expect(complaints(await examine())).toEqual([
      "fault image: BuildKit is not usable: docker: 'buildx' is not a docker command.",
    ]);
    await rm(join(programs, 'docker'));
    expect(complaints(await examine())).toEqual(['fault docker: there is no command `docker`']);
    await install('finch', DOCKER);
    expect(complaints(await examine({}, { CDK_DOCKER: 'finch' }))).toEqual([]);
  });

  it('reports missing credentials, region or AWS command line, and checks nothing more', async () => {
    await install('aws', { ...AWS, 'sts get-caller-identity': new Failure('Unable to locate credentials.') });
    expect(complaints(await examine())).toEqual(['fault credentials: Unable to locate credentials.']);
    await install('aws', AWS);
    expect(complaints(await examine({}, { AWS_REGION: undefined }))).toEqual([
      'fault region: none is set: the CDK would take us-east-1',
    ]);
    await install('aws', { ...AWS, 'configure get region': 'eu-central-1' });
    expect(complaints(await examine({}, { AWS_REGION: undefined }))).toEqual([]);
    await rm(join(programs, 'aws'));
    expect(complaints(await examine())).toEqual(['fault credentials: there is no command `aws`']);
  });

  it('reports what the credentials may not read, and continues', async () => {
    await install('aws', { ...AWS, 'lambda get-account-settings': new Failure('(AccessDenied)') });
    expect(complaints(await examine())).toEqual(['fault Lambda quota: could not be looked at: (AccessDenied)']);
  });

  it('reads the settings first, and reports that no one could sign in', async () => {
    const without = await examine({ adminEmail: undefined });
    expect(complaints(without)).toEqual(['warning first user: there is none: no one can sign in to the console']);
    expect(adviceOf(without, 'first user')).toContain('unless the user pool already has that address');
    expect(complaints(await examine({ deploymentName: 'aws-queue' }))).toEqual([
      expect.stringMatching(/^fault settings: .*deploymentName/),
    ]);
  });
});
