import { fileURLToPath } from 'node:url';
import { Duration, Validations } from 'aws-cdk-lib';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  ContainerImage,
  CpuArchitecture,
  FargateTaskDefinition,
  LogDriver,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Deployment } from '../config/deployment.ts';
import type { DataStack } from './data-stack.ts';
import {
  EXCEPT_TOKENS,
  indexStatement,
  itemStatement,
  ofJobKindsAnd,
  outputStatements,
  queueStatement,
} from './data-statements.ts';
import { workerEnvironment } from './process-environment.ts';
import type { Workspaces } from './workspaces.ts';

/** Where the container sees the workspaces. */
const WORKSPACES = '/workspaces';
/** Fargate waits no longer between SIGTERM and SIGKILL. */
const STOP_TIMEOUT = Duration.seconds(120);
/** How much of that running attempts get; the rest is for flushing their output and handing them back. */
const STOP_GRACE_SECONDS = 100;

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface WorkerTaskProps {
  readonly data: DataStack;
  readonly deployment: Deployment;
  readonly version: string;
  readonly workspaces: Workspaces;
  readonly log: ILogGroup;
}

/** One worker: its image, its size, and a role that holds what jobs need and nothing else. */
export class WorkerTask extends Construct {
  readonly definition: FargateTaskDefinition;

  constructor(scope: Construct, id: string, { data, deployment, version, workspaces, log }: WorkerTaskProps) {
    super(scope, id);
    const arm = deployment.workerArchitecture === 'arm64';
    this.definition = new FargateTaskDefinition(this, 'Definition', {
      cpu: 1024,
      memoryLimitMiB: 4096,
      runtimePlatform: {
        cpuArchitecture: arm ? CpuArchitecture.ARM64 : CpuArchitecture.X86_64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      volumes: [
        {
          name: 'workspaces',
          efsVolumeConfiguration: {
            fileSystemId: workspaces.fileSystemId,
            transitEncryption: 'ENABLED',
            authorizationConfig: { accessPointId: workspaces.accessPointId, iam: 'ENABLED' },
          },
        },
      ],
    });
    const image = new DockerImageAsset(this, 'Image', {
      directory: ROOT,
      file: 'worker-container/Dockerfile',
      platform: arm ? Platform.LINUX_ARM64 : Platform.LINUX_AMD64,
    });
    const container = this.definition.addContainer('worker', {
      image: ContainerImage.fromDockerImageAsset(image),
      environment: workerEnvironment(data, deployment, {
        version,
        workspaces: WORKSPACES,
        stopGraceSeconds: STOP_GRACE_SECONDS,
      }),
      logging: LogDriver.awsLogs({ logGroup: log, streamPrefix: 'worker' }),
      // ECS does not look at the health check that an image brings along.
      healthCheck: {
        command: ['CMD', 'worker-health'],
        interval: Duration.seconds(30),
        startPeriod: Duration.seconds(30),
      },
      stopTimeout: STOP_TIMEOUT,
    });
    container.addMountPoints({ sourceVolume: 'workspaces', containerPath: WORKSPACES, readOnly: false });
    for (const statement of statements(data, workspaces)) this.definition.addToTaskRolePolicy(statement);
    Validations.of(this.definition.obtainExecutionRole()).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'ecr:GetAuthorizationToken, by which ECS fetches the image, can not be limited to one repository.',
    });
  }
}

function statements(data: DataStack, workspaces: Workspaces): PolicyStatement[] {
  return [
    itemStatement(data, 'jobs', ['GetItem', 'PutItem', 'UpdateItem']),
    indexStatement(data, ['ready', 'by-status']),
    itemStatement(data, 'registry', ['GetItem', 'Query'], EXCEPT_TOKENS),
    itemStatement(data, 'registry', ['PutItem', 'DeleteItem'], ofJobKindsAnd('worker')),
    queueStatement(data, ['ReceiveMessage', 'ChangeMessageVisibility', 'DeleteMessage', 'SendMessage']),
    ...outputStatements(data, ['GetObject', 'PutObject', 'DeleteObject', 'AbortMultipartUpload']),
    workspaces.mountStatement(),
  ];
}
