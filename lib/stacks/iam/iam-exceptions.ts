/** Why a role has a permission on more than one named resource. */
export interface Explanation {
  readonly actions: readonly string[];
  /** The resource as in the table of grants. */
  readonly resource: RegExp;
  readonly reason: string;
}

/** Every grant with a wildcard resource; an unlisted one fails a test. Reviewers and cdk-nag get these reasons. */
export const IAM_EXCEPTIONS = {
  streams: {
    actions: ['dynamodb:ListStreams'],
    resource: /^\*$/,
    reason: 'Lambda asks for it to read a stream, and AWS cannot limit it to one.',
  },
  mail: {
    actions: ['ses:SendEmail'],
    resource: /:(identity|configuration-set)\/\*$/,
    reason:
      "In the sandbox, SES checks the right to each recipient's identity too, and the identity names its configuration set. The sender's address is a condition.",
  },
  registryLogin: {
    actions: ['ecr:GetAuthorizationToken'],
    resource: /^\*$/,
    reason: 'By it ECS fetches the image, and AWS cannot limit it to one repository.',
  },
  output: {
    actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:DeleteObjectVersion', 's3:AbortMultipartUpload'],
    resource: /^Output\/jobs\/\*$/,
    reason: 'Each of these roles serves every job; all that jobs leave lies under this prefix, whatever its name.',
  },
  exports: {
    actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:AbortMultipartUpload'],
    resource: /^Output\/exports\/\*$/,
    reason: 'Each of these roles serves every export; all parts and files of exports lie under this prefix.',
  },
  receipts: {
    actions: ['s3:GetObject'],
    resource: /^Output\/jobs\/\*\/receipt\.json$/,
    reason: 'An export lists the attempts of any job; of what jobs leave, the role reads the records of attempts only.',
  },
  secrets: {
    actions: ['ssm:GetParameters'],
    resource: /:parameter\/promptq\/[a-z0-9-]+\/secrets\/\*$/,
    reason: 'Operators name their secrets; all of this deployment, and nothing else, lies under this path.',
  },
  accessLog: {
    actions: ['policy AmazonAPIGatewayPushToCloudWatchLogs'],
    resource: /^\*$/,
    reason: 'The policy that AWS prescribes for the role by which API Gateway writes its logs.',
  },
  revisions: {
    actions: ['ecs:RunTask'],
    resource: /:task-definition\/\w+:\*$/,
    reason: 'Each deployment may make another revision of this one task definition; workers are of the newest.',
  },
  tasks: {
    actions: ['ecs:DescribeTasks'],
    resource: /:task\/Cluster\/\*$/,
    reason: 'Ids of tasks are made by ECS; all tasks of this cluster are workers of this deployment.',
  },
  networkInterfaces: {
    actions: [
      'ec2:CreateNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeSubnets',
    ],
    resource: /^\*$/,
    reason: "Lambda asks for it of a function in a network, before the function's interface has a name to limit it to.",
  },
  console: {
    actions: ['s3:PutObject', 's3:DeleteObject'],
    resource: /^ConsoleFiles\/\*$/,
    reason: 'It sends files of any name, and removes all; nothing but the console is in this bucket.',
  },
} as const satisfies Record<string, Explanation>;
