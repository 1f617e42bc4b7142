import { RemovalPolicy } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { AccessPoint } from 'aws-cdk-lib/aws-efs';
import { FileSystem, LifecyclePolicy, OutOfInfrequentAccessPolicy, ThroughputMode } from 'aws-cdk-lib/aws-efs';
import { AnyPrincipal, Effect, type IRole, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct, type IDependable } from 'constructs';

const CLIENT_ACTIONS = [
  'elasticfilesystem:ClientMount',
  'elasticfilesystem:ClientWrite',
  'elasticfilesystem:ClientRootAccess',
];

interface WorkspacesProps {
  readonly vpc: IVpc;
  /** The only security group that can reach the file system. */
  readonly workers: ISecurityGroup;
}

/** The file system with the projects' workspaces, shared by all workers. */
export class Workspaces extends Construct {
  readonly fileSystemId: string;
  readonly accessPointId: string;
  readonly #fileSystem: FileSystem;
  readonly #accessPoint: AccessPoint;

  constructor(scope: Construct, id: string, { vpc, workers }: WorkspacesProps) {
    super(scope, id);
    const group = new SecurityGroup(this, 'Group', {
      vpc,
      description: 'Workspaces: reached by workers only',
      allowAllOutbound: false,
    });
    group.addIngressRule(workers, Port.tcp(2049), 'NFS from workers');
    this.#fileSystem = new FileSystem(this, 'Files', {
      vpc,
      securityGroup: group,
      encrypted: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      throughputMode: ThroughputMode.ELASTIC,
      lifecyclePolicy: LifecyclePolicy.AFTER_7_DAYS,
      outOfInfrequentAccessPolicy: OutOfInfrequentAccessPolicy.AFTER_1_ACCESS,
      fileSystemPolicy: denyOthers(),
      // Despite its name: otherwise the CDK adds a statement that lets every client of the file system write.
      allowAnonymousAccess: true,
    });
    // Clients have no forced identity: workers are root, and give each folder to its slot's account.
    this.#accessPoint = this.#fileSystem.addAccessPoint('Root', {
      path: '/workspaces',
      createAcl: { ownerUid: '0', ownerGid: '0', permissions: '755' },
    });
    this.fileSystemId = this.#fileSystem.fileSystemId;
    this.accessPointId = this.#accessPoint.accessPointId;
  }

  /** Admits only this role, not an administrator's machine, if EFS reports the principal. Its guide does not say so. */
  admitOnly(role: IRole): void {
    // Only where EFS reports the principal: a negated condition also matches without it, and would deny the worker
    // itself.
    const viaMountTarget = { Null: { 'aws:PrincipalArn': 'false' } };
    this.#fileSystem.addToResourcePolicy(
      deny({ ArnNotEquals: { 'aws:PrincipalArn': role.roleArn }, ...viaMountTarget }),
    );
  }

  /** Available when workers can mount the workspaces, about a minute after the file system is created. */
  get mountTargets(): IDependable {
    return this.#fileSystem.mountTargetsAvailable;
  }

  /** Permission to mount the workspaces, and to change file owners, through the access point only. */
  mountStatement(): PolicyStatement {
    return new PolicyStatement({
      actions: CLIENT_ACTIONS,
      resources: [this.#fileSystem.fileSystemArn],
      conditions: { StringEquals: { 'elasticfilesystem:AccessPointArn': this.#accessPoint.accessPointArn } },
    });
  }
}

/**
 * Grants nothing, so that only a role with permission gets in, through an access point and over TLS. (An access point
 * belongs to one file system. Without a policy EFS admits every client that reaches it.)
 */
function denyOthers(): PolicyDocument {
  return new PolicyDocument({
    statements: [
      deny({ Bool: { 'aws:SecureTransport': 'false' } }),
      deny({ Null: { 'elasticfilesystem:AccessPointArn': 'true' } }),
    ],
  });
}

function deny(conditions: Record<string, Record<string, string>>): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: CLIENT_ACTIONS,
    conditions,
  });
}
