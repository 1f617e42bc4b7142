import { CfnOutput, CustomResource, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, type Code, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import { BlockPublicAccess, Bucket, BucketEncryption, CfnBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { ParameterTier, StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type * as z from 'zod';
import type { serviceEndpointsSchema } from '../../access/service-endpoints.ts';
import { type Deployment, knownOrigin } from '../../platform/config/deployment.ts';
import type { publishConsoleEnv } from '../../platform/config/function-env.ts';
import { readApiOrigin } from '../api/api-origin.ts';
import type { ApiStack } from '../api/api-stack.ts';
import { BroughtOriginSecret } from '../api/origin-secret.ts';
import type { DataStack } from '../data/data-stack.ts';
import { serviceEndpointsParameter } from '../data/shared-names.ts';
import { PUBLISH_CONSOLE } from '../functions/bundle-functions.ts';
import { FUNCTION_MEMORY } from '../functions/function-memory.ts';
import type { EnvironmentOf } from '../functions/process-environment.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import { IAM_EXCEPTIONS } from '../iam/iam-exceptions.ts';
import { ConsoleDistribution } from './console-distribution.ts';
import { SignInPool } from './sign-in-pool.ts';

interface ConsoleStackProps {
  readonly data: DataStack;
  readonly api: ApiStack;
  readonly deployment: Deployment;
  /** The code of a function; the publishing one's includes the built console. */
  readonly codeOf: (functionId: string) => Code;
}

/** The public part: the console, the distribution in front of it and the API, and sign-in. */
export class ConsoleStack extends Stack {
  constructor(scope: Construct, id: string, props: ConsoleStackProps) {
    super(scope, id, { description: 'Promptq: the web console, its distribution, and signing in' });
    const { data, api, deployment, codeOf } = props;
    this.addStackDependency(api, 'CloudFormation reads a parameter that the api stack writes');
    const { domainName, changes } = readApiOrigin(this, data);
    const published = new PublishedConsole(this, 'Console', {
      code: codeOf(PUBLISH_CONSOLE),
      deployment,
    });
    const distribution = new ConsoleDistribution(this, 'Distribution', {
      deployment,
      apiDomainName: domainName,
      files: published.bucket,
      originSecret: new BroughtOriginSecret(this, 'OriginSecret', { data, deployment, codeOf, changes }),
    }).resource;
    this.#enterName(distribution, deployment);
    const origin = knownOrigin(deployment) ?? `https://${distribution.distributionDomainName}`;
    const pool =
      deployment.signIn === undefined
        ? new SignInPool(this, 'SignIn', { deployment, origin, after: distribution })
        : undefined;
    const serviceEndpoints: z.input<typeof serviceEndpointsSchema> = {
      public_origin: origin,
      ...(pool !== undefined && { issuer: pool.issuer, client_id: pool.clientId }),
    };
    new StringParameter(this, 'Whereabouts', {
      description: "Where browsers find the deployment, and where people sign in: read by the API's functions",
      parameterName: serviceEndpointsParameter(data),
      stringValue: this.toJsonString(serviceEndpoints),
      tier: ParameterTier.STANDARD,
    });
    new CfnOutput(this, 'ConsoleUrl', { value: origin });
    new CfnOutput(this, 'DistributionDomainName', { value: distribution.distributionDomainName });
    if (pool !== undefined) new CfnOutput(this, 'UserPoolId', { value: pool.poolId });
  }

  /** Creates the DNS record of the custom domain, if it has a zone. */
  #enterName(distribution: ConsoleDistribution['resource'], { domain }: Deployment): void {
    if (domain?.hostedZone === undefined) return;
    const { id: hostedZoneId, name: zoneName } = domain.hostedZone;
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId, zoneName });
    const record = {
      zone,
      recordName: `${domain.name}.`,
      target: RecordTarget.fromAlias(new CloudFrontTarget(distribution)),
    };
    new ARecord(this, 'Address', record);
    new AaaaRecord(this, 'Ipv6Address', record);
  }
}

const PUBLISH_TIMEOUT = Duration.minutes(2);
/** How long a deployment waits for a missing response: Lambda retries a failed call twice, up to 3 minutes later. */
const ANSWER_TIMEOUT = Duration.minutes(10);

interface PublishedConsoleProps {
  /** The publishing function, including the built console. */
  readonly code: Code;
  readonly deployment: Deployment;
}

/** The console's files in a private bucket, uploaded by a function whose bundle contains them. */
class PublishedConsole extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { code, deployment }: PublishedConsoleProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Files', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // The next deployment restores the content; the publishing function empties the bucket first.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'It holds what everybody may read, and only the distribution reads it.',
    });
    const environment: EnvironmentOf<typeof publishConsoleEnv> = { CONSOLE_BUCKET: this.bucket.bucketName };
    const publish = new ServiceFunction(this, 'Publish', {
      description: "sends the console's files to their bucket",
      code,
      environment,
      statements: [
        new PolicyStatement({
          actions: ['s3:PutObject', 's3:DeleteObject'],
          resources: [this.bucket.arnForObjects('*')],
        }),
        new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.bucket.bucketArn] }),
      ],
      memorySize: FUNCTION_MEMORY.console,
      timeout: PUBLISH_TIMEOUT,
      deployment,
    });
    Validations.of(publish).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${Stack.of(this).getLogicalId(cfnBucket(this.bucket))}.Arn>/*]`,
      reason: IAM_EXCEPTIONS.console.reason,
    });
    const files = new CustomResource(this, 'Console', {
      serviceToken: publish.resource.functionArn,
      resourceType: 'Custom::PromptqConsole',
      serviceTimeout: ANSWER_TIMEOUT,
      // Another console build gives the bundle another name.
      properties: { Bundle: bundleName(publish.resource) },
    });
    // On deletion of the stack, the files are deleted before the bucket's policy and the bucket.
    files.node.addDependency(this.bucket);
  }
}

function cfnBucket({ node }: Bucket): CfnBucket {
  const resource = node.defaultChild;
  if (!(resource instanceof CfnBucket)) throw new Error('CDK makes no bucket out of a bucket');
  return resource;
}

function bundleName({ node }: LambdaFunction): string {
  const resource = node.defaultChild;
  if (!(resource instanceof CfnFunction)) throw new Error('CDK makes no function out of a function');
  const { code } = resource;
  const name = 'resolve' in code ? undefined : (code.s3Key ?? code.zipFile);
  if (name === undefined) throw new Error('a function without code');
  return name;
}
