import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { doors } from '../../contract/routes/routes.ts';
import { NOT_FOUND } from '../functions/bundle-functions.ts';
import { acknowledgeExportAccess, acknowledgeOutputAccess } from '../iam/acknowledge-output-access.ts';
import { IAM_EXCEPTIONS } from '../iam/iam-exceptions.ts';
import { Operations } from '../operations/operations.ts';
import { writeApiOrigin } from './api-origin.ts';
import type { ApiStackProps } from './api-stack-props.ts';
import { ConfigImport } from './config-import.ts';
import { GatewayKeys } from './gateway-keys.ts';
import { HttpApi } from './http-api.ts';
import { JobTriggers } from './job-triggers.ts';
import { OriginSecret } from './origin-secret.ts';
import { RouteFunctions, routeFunction } from './route-functions.ts';

/** The HTTP API: a function for each route and page, the fallback function, and the triggers. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, { description: 'Promptq: the HTTP API and what keeps the jobs in order' });
    const { data, deployment, config, served = doors } = props;
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: deployment.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Proves to the functions that a request came through the distribution, which a later stack creates.
    const originSecret = new OriginSecret(this, 'OriginSecret', props);
    const functionProps = { ...props, originDigests: originSecret.digests };
    const notFound = routeFunction(
      this,
      {
        id: NOT_FOUND,
        method: 'ANY',
        mode: 'buffered',
        auth: { kind: 'principal' },
        access: {},
        label: 'whatever no route maps',
      },
      functionProps,
    );
    const { endpoints } = new RouteFunctions(this, 'Routes', { ...functionProps, served });
    const { resource: api } = new HttpApi(this, 'Api', {
      deployment,
      accessLog,
      endpoints,
      fallbackArn: notFound.resource.functionArn,
    });
    new GatewayKeys(this, 'GatewayKeys', { api, deployment, originSecret });
    writeApiOrigin(this, data, api, originSecret.digests);
    const { countJobs, reconcileJobs } = new JobTriggers(this, 'Triggers', props);
    new Operations(this, 'Operations', { ...props, api, countJobs, reconcileJobs });
    if (config !== undefined) new ConfigImport(this, 'Config', { ...props, document: config });
    acknowledgeOutputAccess(this, data);
    acknowledgeExportAccess(this, data);
    acknowledge(this);
  }
}

function acknowledge(stack: ApiStack): void {
  const reasons = {
    'AwsSolutions-APIG2':
      'The functions judge every request by the schemas of the routing table, in the order the interface fixes.',
    'AwsSolutions-APIG3':
      'A web application firewall costs more than an idle deployment; throttling and tokens are there without it.',
    'AwsSolutions-APIG6':
      'An execution log would hold messages that can echo a token; the access log tells what is needed.',
    'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
      IAM_EXCEPTIONS.accessLog.reason,
  };
  for (const [id, reason] of Object.entries(reasons)) Validations.of(stack).acknowledge({ id, reason });
}
