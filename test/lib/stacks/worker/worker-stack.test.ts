import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stage } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { PRIVATE_KINDS } from '../../../../lib/platform/aws/tables.ts';
import { readEnv } from '../../../../lib/platform/config/read-env.ts';
import { workerEnv } from '../../../../lib/platform/config/worker-env.ts';
import { DataStack } from '../../../../lib/stacks/data/data-stack.ts';
import { WorkerStack } from '../../../../lib/stacks/worker/worker-stack.ts';
import {
  codeOf,
  deployment,
  policyDocument,
  resourcesOf,
  roleStatements,
  standIns,
  testApp,
  VERSION,
} from '../synthesis.ts';

function synthesize(settings = {}): WorkerStack {
  const app = testApp({ validates: true });
  return new WorkerStack(app, 'worker', {
    data: new DataStack(app, 'data'),
    deployment: deployment(settings),
    version: VERSION,
    codeOf,
  });
}

const stack = synthesize();
const onOtherProcessor = synthesize({
  workerArchitecture: 'x86_64',
  workerSize: { vcpus: 2, memoryGb: 8, diskGb: 100 },
  agents: ['codex'],
  maxWorkers: 500,
  jobsPerWorker: 8,
});
const only = (type: string) => {
  const found = [...resourcesOf(stack, type).values()];
  expect(found).toHaveLength(1);
  return found[0]?.Properties ?? {};
};

/** How the one image of a stack is built. */
function buildOf(one: WorkerStack) {
  const { directory = '' } = Stage.of(one)?.synth() ?? {};
  const manifest = z
    .object({
      dockerImages: z.record(
        z.string(),
        z.object({ source: z.object({ dockerBuildArgs: z.unknown(), dockerOutputs: z.unknown() }) }),
      ),
    })
    .parse(JSON.parse(readFileSync(join(directory, `${one.artifactId}.assets.json`), 'utf8')));
  const [image, ...others] = Object.values(manifest.dockerImages);
  expect(others).toEqual([]);
  return image?.source;
}

const taskSchema = z.object({
  Cpu: z.string(),
  Memory: z.string(),
  EphemeralStorage: z.object({ SizeInGiB: z.number() }).optional(),
  RuntimePlatform: z.unknown(),
  TaskRoleArn: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  Volumes: z.tuple([z.object({ EFSVolumeConfiguration: z.unknown() })], z.object({ Name: z.string() })),
  ContainerDefinitions: z.tuple([
    z.object({
      Memory: z.number(),
      Environment: z.array(z.object({ Name: z.string(), Value: z.unknown() })),
      MountPoints: z.array(z.looseObject({ ContainerPath: z.string(), SourceVolume: z.string() })),
      StopTimeout: z.number(),
      // ECS takes up to 300 s; a dead worker is to be noticed within minutes.
      HealthCheck: z.object({
        Command: z.array(z.string()),
        Interval: z.number().min(5).max(60),
        StartPeriod: z.number().min(10).max(300),
      }),
      Privileged: z.literal(false).optional(),
      ReadonlyRootFilesystem: z.boolean(),
      LinuxParameters: z.object({
        Capabilities: z.object({ Drop: z.array(z.string()), Add: z.array(z.string()).optional() }),
      }),
      User: z.undefined().optional(),
    }),
  ]),
});
const task = taskSchema.parse(only('AWS::ECS::TaskDefinition'));
const [container] = task.ContainerDefinitions;

/** A variable in the environment of a stack's worker. */
function variableOf(one: WorkerStack, name: string): unknown {
  const [definition] = resourcesOf(one, 'AWS::ECS::TaskDefinition').values();
  const { ContainerDefinitions: containers } = taskSchema.parse(definition?.Properties);
  return containers[0].Environment.find(({ Name }) => Name === name)?.Value;
}

describe('a worker', () => {
  test('gets every required variable, and enough time to release its jobs', () => {
    const env = readEnv(
      workerEnv,
      standIns(Object.fromEntries(container.Environment.map(({ Name, Value }) => [Name, Value]))),
    );
    expect(env).toMatchObject({ PROMPTQ_CONCURRENCY: 1, PROMPTQ_WORKSPACES: '/workspaces', PROMPTQ_VERSION: VERSION });
    expect(container.StopTimeout).toBe(120);
    expect(env.PROMPTQ_STOP_GRACE_SECONDS).toBeLessThan(container.StopTimeout);
  });

  test('is root with only the rights that it needs to start jobs under separate accounts', () => {
    const { Drop, Add } = container.LinuxParameters.Capabilities;
    // https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_KernelCapabilities.html
    const byDefault = `AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID
      SETPCAP SETUID SYS_CHROOT`.split(/\s+/);
    expect(byDefault.filter((right) => !Drop.includes(right))).toEqual([
      'CHOWN',
      'DAC_OVERRIDE',
      'FOWNER',
      'KILL',
      'SETGID',
      'SETPCAP',
      'SETUID',
    ]);
    // On Fargate only SYS_PTRACE could be added, and that would let other processes read it.
    expect(Add).toBeUndefined();
  });

  // A container without a limit sees the memory of Fargate's whole machine in its cgroup and in /proc/meminfo.
  test("has its task's memory as its limit, by which programs size themselves", () => {
    expect(container.Memory).toBe(Number(task.Memory));
  });

  test('writes to the workspaces and to the disk of its task only', () => {
    expect(container.ReadonlyRootFilesystem).toBe(true);
    expect(container.MountPoints).toEqual(
      [
        ['/workspaces', 'workspaces'],
        ['/tmp', 'temporary'],
        ['/var/lib/promptq', 'work'],
      ].map(([ContainerPath, SourceVolume]) => ({ ContainerPath, SourceVolume, ReadOnly: false })),
    );
    expect(task.Volumes.slice(1)).toEqual([{ Name: 'temporary' }, { Name: 'work' }]);
  });

  test('has the configured agents in its image and in its environment', () => {
    const agentsOf = (one: WorkerStack) => ({
      built: buildOf(one)?.dockerBuildArgs,
      known: variableOf(one, 'PROMPTQ_AGENTS'),
    });
    expect(agentsOf(stack)).toMatchObject({ built: { AGENTS: 'codex claude' }, known: undefined });
    expect(agentsOf(onOtherProcessor)).toMatchObject({ built: { AGENTS: 'codex' }, known: 'codex' });
  });

  test('runs `jobsPerWorker` jobs, and its image has accounts for all workers', () => {
    const jobsOf = (one: WorkerStack) => ({
      built: buildOf(one)?.dockerBuildArgs,
      jobs: variableOf(one, 'PROMPTQ_CONCURRENCY'),
    });
    expect(jobsOf(stack)).toMatchObject({ built: { SLOT_ACCOUNTS: '1000' }, jobs: '1' });
    expect(jobsOf(onOtherProcessor)).toMatchObject({ built: { SLOT_ACCOUNTS: '5000' }, jobs: '8' });
  });

  test('has exactly the rights that its jobs need', () => {
    const [taskRole] = task.TaskRoleArn['Fn::GetAtt'];
    const policy = [...roleStatements(stack)].find(([id]) => id.startsWith(`${taskRole.slice(0, -8)}DefaultPolicy`));
    const statements = policy?.[1] ?? [];
    const allowed = statements.flatMap(({ actions, resources, condition }) =>
      resources.map((resource) => [
        /GetAtt([A-Z][a-z]+)/.exec(resource)?.[1] ?? resource,
        actions.map((a) => a.split(':')[1]).join(' '),
        condition,
      ]),
    );
    const queue = 'ChangeMessageVisibility DeleteMessage ReceiveMessage SendMessage';
    expect(allowed).toEqual([
      ['Jobs', 'BatchGetItem GetItem PutItem UpdateItem', undefined],
      ['Jobs', 'Query', undefined],
      ['Jobs', 'Query', undefined],
      [
        'Registry',
        'BatchGetItem GetItem Query',
        { 'ForAllValues:StringNotEquals': { 'dynamodb:LeadingKeys': PRIVATE_KINDS } },
      ],
      [
        'Registry',
        'GetItem',
        {
          'ForAllValues:StringEquals': {
            'dynamodb:LeadingKeys': ['token'],
            'dynamodb:Attributes': ['kind', 'id', 'state'],
          },
          StringEqualsIfExists: { 'dynamodb:Select': ['SPECIFIC_ATTRIBUTES'] },
        },
      ],
      [
        'Registry',
        'DeleteItem PutItem',
        {
          'ForAllValues:StringLike': {
            'dynamodb:LeadingKeys': [
              'project',
              'texts#*',
              'labels#*',
              'message#*',
              'questions#*',
              'probe',
              'hold',
              'thread#*',
              'forks#*',
              'tree#*',
              'deployments#*',
              'worker',
              'lock',
              'account',
            ],
          },
        },
      ],
      ['Registry', 'UpdateItem', { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['signal'] } }],
      ['High', queue, undefined],
      ['Low', queue, undefined],
      ['Normal', queue, undefined],
      ['Deliveries', 'SendMessage', undefined],
      ['Output', 'AbortMultipartUpload DeleteObject GetObject PutObject', undefined],
      ['Output', 'ListBucket', { StringLikeIfExists: { 's3:prefix': 'jobs/*' } }],
      [expect.stringContaining('WorkspacesFiles'), 'ClientMount ClientRootAccess ClientWrite', expect.anything()],
      [expect.stringContaining(':parameter/promptq/promptq/secrets/*'), 'GetParameters', undefined],
    ]);
    const indexes = statements
      .filter(({ actions }) => actions.includes('dynamodb:Query'))
      .flatMap(({ resources }) => resources);
    expect(indexes.map((resource) => /\/index\/([a-z\d-]+)/.exec(resource)?.[1])).toEqual([
      'by-status',
      'ready',
      undefined,
    ]);
  });
});

describe('the network', () => {
  test('has no NAT gateway, and free endpoints for S3 and DynamoDB', () => {
    expect(resourcesOf(stack, 'AWS::EC2::NatGateway').size).toBe(0);
    const services = [...resourcesOf(stack, 'AWS::EC2::VPCEndpoint').values()].map(({ Properties }) =>
      JSON.stringify(Properties.ServiceName),
    );
    expect(services.map((name) => /\.([a-z0-9]+)"/.exec(name)?.[1]).sort()).toEqual(['dynamodb', 's3']);
  });

  test('admits only workers to the file system, and only the login function to workers', () => {
    const groups = resourcesOf(stack, 'AWS::EC2::SecurityGroup');
    for (const { Properties } of groups.values()) expect(Properties).not.toHaveProperty('SecurityGroupIngress');
    const rule = (port: number, to: RegExp, from: RegExp) => ({
      FromPort: port,
      ToPort: port,
      GroupId: { 'Fn::GetAtt': [expect.stringMatching(to), 'GroupId'] },
      SourceSecurityGroupId: { 'Fn::GetAtt': [expect.stringMatching(from), 'GroupId'] },
    });
    const rules = [...resourcesOf(stack, 'AWS::EC2::SecurityGroupIngress').values()];
    expect(rules.map(({ Properties }) => Properties)).toEqual(
      expect.arrayContaining([
        expect.objectContaining(rule(2049, /^WorkspacesGroup/, /^Workers/)),
        expect.objectContaining(rule(8790, /^Workers/, /^CodeReaderGroup/)),
      ]),
    );
    expect(rules).toHaveLength(2);
  });

  test('contains the function that reads the code of a login, with rights on its log and network interface only', () => {
    const inNetwork = [...resourcesOf(stack, 'AWS::Lambda::Function').values()].filter(
      ({ Properties }) => Properties.VpcConfig !== undefined,
    );
    expect(inNetwork.map(({ Properties }) => Properties)).toEqual([
      expect.objectContaining({
        FunctionName: 'data-read-login-code',
        Code: { ZipFile: 'triggers.read-login-code' },
        VpcConfig: expect.objectContaining({
          SecurityGroupIds: [{ 'Fn::GetAtt': [expect.stringMatching(/^CodeReaderGroup/), 'GroupId'] }],
        }),
      }),
    ]);
    const reader = [...roleStatements(stack)].find(([id]) => id.startsWith('CodeReader'))?.[1] ?? [];
    expect([...new Set(reader.flatMap(({ actions }) => actions))].map((action) => action.split(':')[0])).toEqual([
      'logs',
      'logs',
      'ec2',
      'ec2',
      'ec2',
      'ec2',
    ]);
  });
});

describe('the workspaces', () => {
  test('stay when the stack is deleted, and move to cheaper storage when they are not read', () => {
    const [files] = resourcesOf(stack, 'AWS::EFS::FileSystem').values();
    expect(files).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        Encrypted: true,
        LifecyclePolicies: [{ TransitionToIA: 'AFTER_7_DAYS' }, { TransitionToPrimaryStorageClass: 'AFTER_1_ACCESS' }],
      },
    });
  });

  test('admit only the worker, over TLS and by the access point', () => {
    const { Statement } = policyDocument.parse(only('AWS::EFS::FileSystem').FileSystemPolicy);
    expect(Statement.map(({ effect, condition }) => [effect, condition])).toEqual([
      ['Deny', { Bool: { 'aws:SecureTransport': 'false' } }],
      ['Deny', { Null: { 'elasticfilesystem:AccessPointArn': 'true' } }],
      // Where EFS says who mounts. A negated condition also holds where it does not: that would keep the worker out too.
      ['Deny', { ArnNotEquals: { 'aws:PrincipalArn': task.TaskRoleArn }, Null: { 'aws:PrincipalArn': 'false' } }],
    ]);
    // All that a client can do.
    for (const { actions } of Statement)
      expect(actions).toEqual(
        ['ClientMount', 'ClientRootAccess', 'ClientWrite'].map((one) => `elasticfilesystem:${one}`),
      );
  });

  test('let the worker in by the one access point of this deployment', () => {
    const [accessPoint, ...others] = resourcesOf(stack, 'AWS::EFS::AccessPoint').keys();
    expect(others).toEqual([]);
    const mount = [...roleStatements(stack).values()]
      .flat()
      .filter(({ actions }) => actions.some((action) => action.startsWith('elasticfilesystem:')));
    expect(mount).toHaveLength(1);
    const condition = z.object({ StringEquals: z.object({ 'elasticfilesystem:AccessPointArn': z.unknown() }) });
    expect(JSON.stringify(condition.parse(mount[0]?.condition))).toContain(`":access-point/",{"Ref":"${accessPoint}"}`);
  });

  test('are mounted over TLS, by the access point, as the task', () => {
    expect(task.Volumes[0].EFSVolumeConfiguration).toMatchObject({
      TransitEncryption: 'ENABLED',
      AuthorizationConfig: { IAM: 'ENABLED', AccessPointId: { Ref: expect.stringMatching(/^WorkspacesFiles/) } },
    });
  });
});

describe('the network of the settings', () => {
  const inZones = synthesize({ network: { availabilityZones: ['us-east-1a', 'us-east-1c'] } });
  const subnets = { 'us-east-1a': 'subnet-0123456789abcdef0', 'us-east-1d': 'subnet-0123456789abcdef1' };
  const existing = { vpcId: 'vpc-0123456789abcdef0', subnets };
  const inExisting = synthesize({ network: { ...existing, publicAddresses: false } });
  const launches = (one: WorkerStack) => {
    const functions = [...resourcesOf(one, 'AWS::Lambda::Function').values()].map(({ Properties }) => Properties);
    return JSON.stringify(functions.find(({ Code }) => JSON.stringify(Code).includes('scale-workers'))?.Environment);
  };

  test('has its zones', () => {
    const zones = [...resourcesOf(inZones, 'AWS::EC2::Subnet').values()].map(
      ({ Properties }) => Properties.AvailabilityZone,
    );
    expect(zones).toEqual(['us-east-1a', 'us-east-1c']);
    expect(launches(inZones)).toContain('"WORKER_PUBLIC_ADDRESSES":"1"');
  });

  test('may be an existing one, to which no network resource is added', () => {
    const ids = Object.values(subnets);
    for (const type of ['VPC', 'Subnet', 'RouteTable', 'InternetGateway', 'VPCEndpoint'])
      expect([...resourcesOf(inExisting, `AWS::EC2::${type}`).keys()]).toEqual([]);
    const targets = [...resourcesOf(inExisting, 'AWS::EFS::MountTarget').values()];
    expect(targets.map(({ Properties }) => Properties.SubnetId)).toEqual(ids);
    const groups = [...resourcesOf(inExisting, 'AWS::EC2::SecurityGroup').values()];
    expect(new Set(groups.map(({ Properties }) => Properties.VpcId))).toEqual(new Set([existing.vpcId]));
    const [reader] = [...resourcesOf(inExisting, 'AWS::Lambda::Function').values()].flatMap(
      ({ Properties }) => Properties.VpcConfig ?? [],
    );
    expect(reader).toMatchObject({ SubnetIds: ids });
    expect(launches(inExisting)).toContain(`"WORKER_SUBNETS":"${ids.join(',')}"`);
    expect(launches(inExisting)).toContain('"WORKER_PUBLIC_ADDRESSES":"0"');
  });

  test.each([
    [{ vpcId: existing.vpcId }, 'expected vpcId and subnets together'],
    [{ subnets }, 'expected vpcId and subnets together'],
    [{ ...existing, availabilityZones: ['us-east-1a'] }, 'expected none with vpcId'],
    [{ publicAddresses: false }, 'has no NAT'],
    [{ availabilityZones: ['use1-az4'] }, 'expected a zone such as'],
    [{ ...existing, subnets: {} }, 'at least one zone'],
  ])('is refused with the reason: %j', (network, reason) => {
    expect(() => deployment({ network })).toThrow(reason);
  });
});
