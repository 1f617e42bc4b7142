import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import { ParameterTier, StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type * as z from 'zod';
import type { serviceEndpointsSchema } from '../../access/service-endpoints.ts';
import { type Deployment, knownOrigin } from '../../platform/config/deployment.ts';
import { readApiOrigin } from '../api/api-origin.ts';
import type { ApiStack } from '../api/api-stack.ts';
import { BroughtOriginSecret } from '../api/origin-secret.ts';
import type { DataStack } from '../data/data-stack.ts';
import { serviceEndpointsParameter } from '../data/shared-names.ts';
import { PUBLISH_CONSOLE } from '../functions/bundle-functions.ts';
import { ConsoleDistribution } from './console-distribution.ts';
import { PublishedConsole } from './published-console.ts';
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
