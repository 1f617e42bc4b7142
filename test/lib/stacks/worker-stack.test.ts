import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { readEnv, workerEnv } from '../../../lib/config/env.ts';
import { DataStack } from '../../../lib/stacks/data-stack.ts';
import { WorkerStack } from '../../../lib/stacks/worker-stack.ts';
import { deployment, policyDocument, resourcesOf, roleStatements, standIns, testApp, VERSION } from './synthesis.ts';

function synthesize(settings = {}): WorkerStack {
  const app = testApp();
  return new WorkerStack(app, 'worker', {
    data: new DataStack(app, 'data'),
    deployment: deployment(settings),
    version: VERSION,
  });
}

const stack = synthesize();
const onOtherProcessor = synthesize({ workerArchitecture: 'x86_64' });
const only = (type: string) => {
  const found = [...resourcesOf(stack, type).values()];
  expect(found).toHaveLength(1);
  return found[0]?.Properties ?? {};
};

const taskSchema = z.object({
  Cpu: z.string(),
  Memory: z.string(),
  RuntimePlatform: z.unknown(),
  TaskRoleArn: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  Volumes: z.tuple([z.object({ EFSVolumeConfiguration: z.unknown() })]),
  ContainerDefinitions: z.tuple([
    z.object({
      Environment: z.array(z.object({ Name: z.string(), Value: z.unknown() })),
      MountPoints: z.unknown(),
      StopTimeout: z.number(),
      HealthCheck: z.object({ Command: z.array(z.string()) }),
      Privileged: z.literal(false).optional(),
    }),
  ]),
});
const task = taskSchema.parse(only('AWS::ECS::TaskDefinition'));
const [container] = task.ContainerDefinitions;

describe('a worker', () => {
  test('gets all that its environment is checked for, and time enough to hand its jobs back', () => {
    const env = readEnv(
      workerEnv,
      standIns(Object.fromEntries(container.Environment.map(({ Name, Value }) => [Name, Value]))),
    );
    expect(env).toMatchObject({ PROMPTQ_CONCURRENCY: 1, PROMPTQ_WORKSPACES: '/workspaces', PROMPTQ_VERSION: VERSION });
    expect(container.StopTimeout).toBe(120);
    expect(env.PROMPTQ_STOP_GRACE_SECONDS).toBeLessThan(container.StopTimeout);
  });

  test('has the size and the processor that the settings ask for', () => {
    expect([task.Cpu, task.Memory]).toEqual(['1024', '4096']);
    expect(task.RuntimePlatform).toEqual({ CpuArchitecture: 'ARM64', OperatingSystemFamily: 'LINUX' });
    const other = taskSchema.parse(
      [...resourcesOf(onOtherProcessor, 'AWS::ECS::TaskDefinition').values()][0]?.Properties,
    );
    expect(other.RuntimePlatform).toEqual({ CpuArchitecture: 'X86_64', OperatingSystemFamily: 'LINUX' });
  });

  test('may do what jobs need, and nothing else on anything else', () => {
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
      ['Jobs', 'GetItem PutItem UpdateItem', undefined],
      ['Jobs', 'Query', undefined],
      ['Jobs', 'Query', undefined],
      ['Registry', 'GetItem Query', { 'ForAllValues:StringNotEquals': { 'dynamodb:LeadingKeys': ['token'] } }],
      [
        'Registry',
        'DeleteItem PutItem',
        { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['project', 'texts#*', 'probe', 'worker'] } },
      ],
      ['High', queue, undefined],
      ['Low', queue, undefined],
      ['Normal', queue, undefined],
      ['Output', 'AbortMultipartUpload DeleteObject GetObject PutObject', undefined],
      ['Output', 'ListBucket', { StringLikeIfExists: { 's3:prefix': 'jobs/*' } }],
      [expect.stringContaining('WorkspacesFiles'), 'ClientMount ClientRootAccess ClientWrite', expect.anything()],
    ]);
    const indexes = statements
      .filter(({ actions }) => actions.includes('dynamodb:Query'))
      .flatMap(({ resources }) => resources);
    expect(indexes.map((resource) => /\/index\/([a-z-]+)/.exec(resource)?.[1])).toEqual([
      'by-status',
      'ready',
      undefined,
    ]);
  });

  test('has a role that is allowed on everything what AWS can not limit, to fetch its image, and no more', () => {
    const onEverything = [...roleStatements(stack).values()].flat().filter(({ resources }) => resources.includes('*'));
    expect(onEverything.flatMap(({ actions }) => actions)).toEqual(['ecr:GetAuthorizationToken']);
  });
});

describe('the network', () => {
  test('has no NAT gateway, and a free way to S3 and DynamoDB', () => {
    expect(resourcesOf(stack, 'AWS::EC2::NatGateway').size).toBe(0);
    const services = [...resourcesOf(stack, 'AWS::EC2::VPCEndpoint').values()].map(({ Properties }) =>
      JSON.stringify(Properties.ServiceName),
    );
    expect(services.map((name) => /\.([a-z0-9]+)"/.exec(name)?.[1]).sort()).toEqual(['dynamodb', 's3']);
  });

  test('lets nothing in but files from the file system, asked for by workers', () => {
    const groups = resourcesOf(stack, 'AWS::EC2::SecurityGroup');
    for (const { Properties } of groups.values()) expect(Properties).not.toHaveProperty('SecurityGroupIngress');
    expect(only('AWS::EC2::SecurityGroupIngress')).toMatchObject({
      FromPort: 2049,
      ToPort: 2049,
      GroupId: { 'Fn::GetAtt': [expect.stringMatching(/^WorkspacesGroup/), 'GroupId'] },
      SourceSecurityGroupId: { 'Fn::GetAtt': [expect.stringMatching(/^Workers/), 'GroupId'] },
    });
  });

  test('keeps no task running: there is no ECS service, and both kinds of Fargate can be had', () => {
    expect(resourcesOf(stack, 'AWS::ECS::Service').size).toBe(0);
    expect(only('AWS::ECS::ClusterCapacityProviderAssociations').CapacityProviders).toEqual([
      'FARGATE',
      'FARGATE_SPOT',
    ]);
  });
});

describe('the workspaces', () => {
  test('stay when the stack goes, and cost less when nobody reads them', () => {
    const [files] = resourcesOf(stack, 'AWS::EFS::FileSystem').values();
    expect(files).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: {
        Encrypted: true,
        LifecyclePolicies: [{ TransitionToIA: 'AFTER_7_DAYS' }, { TransitionToPrimaryStorageClass: 'AFTER_1_ACCESS' }],
      },
    });
  });

  test('let nobody in without leave, without TLS, or past the access point', () => {
    const { Statement } = policyDocument.parse(only('AWS::EFS::FileSystem').FileSystemPolicy);
    expect(Statement.map(({ effect, condition }) => [effect, condition])).toEqual([
      ['Deny', { Bool: { 'aws:SecureTransport': 'false' } }],
      ['Deny', { Null: { 'elasticfilesystem:AccessPointArn': 'true' } }],
    ]);
  });

  test('are mounted over TLS, by the access point, as the task', () => {
    expect(task.Volumes[0].EFSVolumeConfiguration).toMatchObject({
      TransitEncryption: 'ENABLED',
      AuthorizationConfig: { IAM: 'ENABLED', AccessPointId: { Ref: expect.stringMatching(/^WorkspacesFiles/) } },
    });
    expect(container.MountPoints).toEqual([expect.objectContaining({ ContainerPath: '/workspaces', ReadOnly: false })]);
  });
});
