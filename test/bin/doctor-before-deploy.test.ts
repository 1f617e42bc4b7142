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
/** The zones a, b, c… of us-east-1, whose names each account has for other ids; not in the order of their names. */
function zones(...ids: string[]) {
  const named = ids.map((ZoneId, at) => ({ ZoneName: `us-east-1${'abcdef'[at]}`, ZoneId, State: 'available' }));
  return { AvailabilityZones: named.toReversed() };
}
const AWS: Answers = {
  'configure get region': new Failure(''),
  'sts get-caller-identity': { Account: '111122223333', Arn: 'arn:aws:iam::111122223333:user/ada', UserId: 'A' },
  'ssm get-parameter --name /cdk-bootstrap/hnb659fds/version': { Parameter: { Value: '30' } },
  'iam get-role --role-name AWSServiceRoleForECS': { Role: {} },
  'lambda get-account-settings': { AccountLimit: { ConcurrentExecutions: 1_000 } },
  'service-quotas get-service-quota --service-code fargate --quota-code L-3032A538': quota(10),
  'service-quotas get-service-quota --service-code fargate --quota-code L-36FBB829': quota(10),
  'service-quotas get-service-quota --service-code vpc --quota-code L-F678F1CE': quota(5),
  'ec2 describe-vpcs': { Vpcs: [{ VpcId: 'vpc-1', IsDefault: true }] },
  'ec2 describe-availability-zones': zones('use1-az4', 'use1-az6', 'use1-az3', 'use1-az1'),
  'cloudfront list-distributions': '"E1"',
  'cognito-idp list-user-pools': { UserPools: [] },
  'cloudformation describe-stacks --stack-name team-data': missing('team-data'),
  'cloudformation describe-stacks --stack-name team-api': missing('team-api'),
  'cloudformation describe-stacks --stack-name team-worker': missing('team-worker'),
  'cloudformation describe-stacks --stack-name team-console': missing('team-console'),
};
const DOCKER: Answers = {
  'version --format': 'linux/arm64',
  'buildx inspect': 'Name:   default\nDriver: docker\nNodes:\nPlatforms: linux/arm64*, linux/arm/v7',
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
      'VPC quota: 1 of 5 networks exist in this region',
      'zones: us-east-1a (use1-az4), us-east-1b (use1-az6)',
      'CloudFront: this account has distributions',
      'stacks: none blocks the deployment',
      'users: no user pool of a former deployment is left',
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

  it('finds that the region takes no further network, unless the workers have one', async () => {
    const stack = (value: string) => ({ Tags: [{ Key: 'aws:cloudformation:stack-name', Value: value }] });
    await install('aws', { ...AWS, 'ec2 describe-vpcs': { Vpcs: [{}, {}, {}, {}, stack('other-worker')] } });
    const report = await examine();
    expect(complaints(report)).toEqual([
      'fault VPC quota: 5 of 5 networks exist in this region: the worker stack would fail with VpcLimitExceeded',
    ]);
    expect(adviceOf(report, 'VPC quota')).toContain('--service-code vpc --quota-code L-F678F1CE --desired-value 6`');
    const subnets = { 'us-east-1a': 'subnet-0123456789abcdef0' };
    expect(complaints(await examine({ network: { vpcId: 'vpc-0123456789abcdef0', subnets } }))).toEqual([]);
    await install('aws', { ...AWS, 'ec2 describe-vpcs': { Vpcs: [{}, {}, {}, {}, stack('team-worker')] } });
    expect(complaints(await examine())).toEqual([]);
  });

  it('finds that a zone of the workers has no Fargate, whatever its name is in this account', async () => {
    await install('aws', { ...AWS, 'ec2 describe-availability-zones': zones('use1-az6', 'use1-az3', 'use1-az1') });
    const report = await examine();
    expect(complaints(report)).toEqual([
      expect.stringMatching(/^fault zones: us-east-1a \(use1-az6\), us-east-1b \(use1-az3\): .* in us-east-1b,/),
    ]);
    expect(adviceOf(report, 'zones')).toContain('{"availabilityZones": ["us-east-1a","us-east-1c"]}');
    expect(complaints(await examine({ network: { availabilityZones: ['us-east-1a', 'us-east-1c'] } }))).toEqual([]);
    expect(complaints(await examine({ network: { availabilityZones: ['eu-west-1a'] } }))).toEqual([
      expect.stringContaining('eu-west-1a (not in this region)'),
    ]);
  });

  it('finds users whom a failed deployment left behind', async () => {
    await install('aws', {
      ...AWS,
      'cognito-idp list-user-pools': {
        UserPools: [
          { Id: 'us-east-1_A', Name: 'team' },
          { Id: 'x', Name: 'other' },
        ],
      },
    });
    const report = await examine();
    expect(complaints(report)).toEqual([expect.stringMatching(/^warning users: the user pool us-east-1_A/)]);
    expect(adviceOf(report, 'users')).toContain('delete-user-pool --user-pool-id us-east-1_A');
    await install('aws', {
      ...AWS,
      'cognito-idp list-user-pools': { UserPools: [{ Id: 'us-east-1_A', Name: 'team' }] },
      'cloudformation describe-stacks --stack-name team-console': { Stacks: [{ StackStatus: 'CREATE_COMPLETE' }] },
    });
    expect(complaints(await examine())).toEqual([]);
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

  it('finds a builder that keeps the image to itself, as the one of a GitHub workflow does', async () => {
    const inspected = 'Name:          builder-1\nDriver:        docker-container\nNodes:\nPlatforms: linux/arm64';
    await install('docker', { ...DOCKER, 'buildx inspect': inspected });
    const report = await examine();
    expect(complaints(report)).toEqual([expect.stringMatching(/^fault image: .*docker-container.*No such image/)]);
    expect(adviceOf(report, 'image')).toContain('docker buildx use default');
  });

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
