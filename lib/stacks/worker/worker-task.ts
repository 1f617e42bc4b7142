import { fileURLToPath } from 'node:url';
import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  Capability,
  ContainerImage,
  CpuArchitecture,
  FargateTaskDefinition,
  LinuxParameters,
  LogDriver,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { WRITTEN_KINDS } from '../../platform/aws/tables.ts';
import type { Deployment } from '../../platform/config/deployment.ts';
import { secretsPath } from '../../platform/config/secrets-path.ts';
import { CONTAINER_RIGHTS, WORKER_RIGHTS } from '../../platform/config/worker-rights.ts';
import { accountsFor } from '../../platform/config/worker-size.ts';
import type { DataStack } from '../data/data-stack.ts';
import { operationsEnvironment, workerEnvironment } from '../functions/process-environment.ts';
import { IAM_EXCEPTIONS } from '../iam/iam-exceptions.ts';
import {
  deliveriesStatement,
  EXCEPT_PRIVATE,
  indexStatement,
  itemStatement,
  ofKindsLike,
  outputStatements,
  queueStatement,
  signalsStatement,
  tokenStateStatement,
} from '../iam/table-grants.ts';
import type { Workspaces } from './workspaces.ts';

/** The workspaces' path in the container. */
const WORKSPACES = '/workspaces';
/** Its other writable folders, on the task's own disk; the rest is read-only. */
const SCRATCH = { temporary: '/tmp', work: '/var/lib/promptq' } as const;
/** Fargate's maximum time between SIGTERM and SIGKILL. */
const STOP_TIMEOUT = Duration.seconds(120);
/** The part of it for running attempts; the rest is for flushing their output and releasing them. */
const STOP_GRACE_SECONDS = 100;

/**
 * A task pulls and unpacks its image at each start. zstd is unpacked in a quarter of gzip's time, and its best level (from 9
 * on in BuildKit's numbers) makes the image a tenth smaller than its default. Docker's older image store ignores it: its
 * layers are compressed by gzip when they are pushed.
 */
const ZSTD_LAYERS = 'type=image,compression=zstd,compression-level=9,force-compression=true,oci-mediatypes=true';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface WorkerTaskProps {
  readonly data: DataStack;
  readonly deployment: Deployment;
  readonly version: string;
  readonly workspaces: Workspaces;
  readonly log: ILogGroup;
}

/** One worker: its image, its size, and a role with the permissions that jobs need. */
export class WorkerTask extends Construct {
  readonly definition: FargateTaskDefinition;

  constructor(scope: Construct, id: string, { data, deployment, version, workspaces, log }: WorkerTaskProps) {
    super(scope, id);
    const { diskGb } = deployment.workerSize;
    const memoryLimitMiB = deployment.workerSize.memoryGb * 1_024;
    const arm = deployment.workerArchitecture === 'arm64';
    this.definition = new FargateTaskDefinition(this, 'Definition', {
      cpu: deployment.workerSize.vcpus * 1_024,
      memoryLimitMiB,
      ...(diskGb !== undefined && { ephemeralStorageGiB: diskGb }),
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
        ...Object.keys(SCRATCH).map((name) => ({ name })),
      ],
    });
    const image = new DockerImageAsset(this, 'Image', {
      directory: ROOT,
      file: 'worker-container/Dockerfile',
      buildArgs: {
        AGENTS: deployment.agents.join(' '),
        SLOT_ACCOUNTS: String(accountsFor(deployment.maxWorkers * deployment.jobsPerWorker)),
      },
      outputs: [ZSTD_LAYERS],
      platform: arm ? Platform.LINUX_ARM64 : Platform.LINUX_AMD64,
    });
    const container = this.definition.addContainer('worker', {
      image: ContainerImage.fromDockerImageAsset(image),
      // The limit that programs find in the container; without it they see the memory of Fargate's whole machine.
      memoryLimitMiB,
      environment: {
        ...workerEnvironment(data, deployment, {
          version,
          workspaces: WORKSPACES,
          stopGraceSeconds: STOP_GRACE_SECONDS,
        }),
        ...operationsEnvironment(deployment),
      },
      logging: LogDriver.awsLogs({ logGroup: log, streamPrefix: 'worker' }),
      // ECS ignores the health check in an image.
      healthCheck: {
        command: ['CMD', 'worker-health'],
        interval: Duration.seconds(30),
        startPeriod: Duration.seconds(30),
      },
      stopTimeout: STOP_TIMEOUT,
      readonlyRootFilesystem: true,
      linuxParameters: this.#rights(),
    });
    container.addMountPoints({ sourceVolume: 'workspaces', containerPath: WORKSPACES, readOnly: false });
    for (const [sourceVolume, containerPath] of Object.entries(SCRATCH))
      container.addMountPoints({ sourceVolume, containerPath, readOnly: false });
    for (const statement of [...statements(data, workspaces), secretsStatement(this, deployment)])
      this.definition.addToTaskRolePolicy(statement);
    workspaces.admitOnly(this.definition.taskRole);
    Validations.of(this.definition.taskRole).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ssm:<AWS::Region>:<AWS::AccountId>:parameter${secretsPath(deployment)}*]`,
      reason: IAM_EXCEPTIONS.secrets.reason,
    });
    Validations.of(this.definition.obtainExecutionRole()).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: IAM_EXCEPTIONS.registryLogin.reason,
    });
  }

  /** Root without the capabilities that a worker doesn't need. */
  #rights(): LinuxParameters {
    const parameters = new LinuxParameters(this, 'Rights');
    const unneeded = CONTAINER_RIGHTS.filter((right) => !WORKER_RIGHTS.includes(right));
    parameters.dropCapabilities(...unneeded.map((right) => Capability[right]));
    return parameters;
  }
}

/** Permission to read only the secrets that profiles name in the Parameter Store. */
function secretsStatement(scope: Construct, deployment: Deployment): PolicyStatement {
  const parameters = `parameter${secretsPath(deployment)}*`;
  return new PolicyStatement({
    actions: ['ssm:GetParameters'],
    resources: [Stack.of(scope).formatArn({ service: 'ssm', resource: parameters })],
  });
}

function statements(data: DataStack, workspaces: Workspaces): PolicyStatement[] {
  return [
    itemStatement(data, 'jobs', ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem']),
    indexStatement(data, ['ready', 'by-status']),
    itemStatement(data, 'registry', ['GetItem', 'BatchGetItem', 'Query'], EXCEPT_PRIVATE),
    tokenStateStatement(data),
    itemStatement(data, 'registry', ['PutItem', 'DeleteItem'], ofKindsLike(...WRITTEN_KINDS.worker)),
    signalsStatement(data),
    queueStatement(data, ['ReceiveMessage', 'ChangeMessageVisibility', 'DeleteMessage', 'SendMessage']),
    deliveriesStatement(data, ['SendMessage']),
    ...outputStatements(data, ['GetObject', 'PutObject', 'DeleteObject', 'AbortMultipartUpload']),
    workspaces.mountStatement(),
  ];
}
