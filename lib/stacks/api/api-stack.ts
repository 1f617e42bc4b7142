import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  ResponseTransferMode,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type Route, wholePath } from '../../contract/route.ts';
import { pages, routes } from '../../contract/routes/routes.ts';
import type { Deployment } from '../../platform/config/deployment.ts';
import { loginReaderName, scaleWorkersName } from '../data/shared-names.ts';
import { NOT_FOUND } from '../functions/bundle-functions.ts';
import { apiEnvironment } from '../functions/process-environment.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import { accessStatements, type Served } from '../iam/access-statements.ts';
import { acknowledgeOutputAccess } from '../iam/acknowledge-output-access.ts';
import { IAM_EXCEPTIONS } from '../iam/iam-exceptions.ts';
import { Operations } from '../operations/operations.ts';
import { STAGE, writeApiOrigin } from './api-origin.ts';
import type { ApiStackProps } from './api-stack-props.ts';
import { ConfigImport } from './config-import.ts';
import { GatewayKeys } from './gateway-keys.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { JobTriggers } from './job-triggers.ts';
import { OriginSecret } from './origin-secret.ts';
import { RouteTree } from './route-tree.ts';

/** API Gateway's own limit for an answer that is not streamed; a function that needs longer answers nobody. */
const BUFFERED_TIMEOUT = Duration.seconds(29);
/** The longest that API Gateway streams. */
const STREAM_TIMEOUT = Duration.minutes(15);

/** The HTTP API: a function for each line of the routing table and each page, one for all else, and those that no client calls. */
export class ApiStack extends Stack {
  /** By which the functions know the distribution that a later stack makes. */
  readonly #originSecret: OriginSecret;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, { description: 'Promptq: the HTTP API and what keeps the jobs in order' });
    const api = this.#restApi(props.deployment);
    this.#originSecret = new OriginSecret(this, 'OriginSecret', props);
    const notFound = this.#function(
      {
        id: NOT_FOUND,
        method: 'ANY',
        path: '/{proxy+}',
        mode: 'buffered',
        access: {},
        label: 'whatever no route maps',
      },
      props,
    );
    // One leave for the whole API: one for each method would make a function's policy larger than Lambda takes.
    const catchAll = new LambdaIntegration(notFound, { timeout: BUFFERED_TIMEOUT, scopePermissionToMethod: false });
    const tree = new RouteTree(api.root, catchAll);
    for (const route of [...routes, ...pages]) {
      const path = wholePath(route);
      const label = `${route.method} ${path}`;
      const handler = this.#function({ ...route, label }, props);
      const integration = new LambdaIntegration(handler, { ...transfer(route.mode), allowTestInvoke: false });
      tree.at(path).addMethod(route.method, integration);
    }
    tree.at('/{proxy+}');
    new GatewayKeys(this, 'GatewayKeys', { api, deployment: props.deployment, originSecret: this.#originSecret });
    writeApiOrigin(this, props.data, api, this.#originSecret.digests);
    addGatewayResponses(api);
    const { countJobs, reconcileJobs } = new JobTriggers(this, 'Triggers', props);
    new Operations(this, 'Operations', { ...props, api, countJobs, reconcileJobs });
    if (props.config !== undefined) new ConfigImport(this, 'Config', { ...props, document: props.config });
    acknowledgeOutputAccess(this, props.data);
    acknowledge(this);
  }

  #restApi(deployment: Deployment): RestApi {
    const log = new LogGroup(this, 'AccessLog', {
      retention: deployment.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const api = new RestApi(this, 'Api', {
      restApiName: deployment.deploymentName,
      endpointTypes: [EndpointType.REGIONAL],
      // Who calls without the key that the distribution sends is refused here, and billed to nobody.
      defaultMethodOptions: { apiKeyRequired: true },
      // API Gateway writes access logs only if the account has such a role. It is the whole account's: other
      // deployments go on using it when this one is gone.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: STAGE,
        throttlingRateLimit: deployment.throttling.rate,
        throttlingBurstLimit: deployment.throttling.burst,
        accessLogDestination: new LogGroupLogDestination(log),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
    });
    // Its address answers nobody but the distribution: whoever deploys is told that one's.
    api.node.tryRemoveChild('Endpoint');
    return api;
  }

  #function(
    { id, mode, label, ...route }: Served & Pick<Route, 'mode'> & { id: string; label: string },
    { data, deployment, version, codeOf }: ApiStackProps,
  ) {
    const { resource } = new ServiceFunction(this, constructId(id), {
      description: label,
      code: codeOf(id),
      environment: {
        ...apiEnvironment(data, deployment, { version, originDigests: this.#originSecret.digests }),
        ...(route.access.loginCode && { LOGIN_READER_FUNCTION: loginReaderName(data) }),
        ...(route.access.scaling && { SCALE_WORKERS_FUNCTION: scaleWorkersName(data) }),
      },
      statements: accessStatements(data, route),
      memorySize: mode === 'stream' ? 512 : 256,
      timeout: transfer(mode).timeout,
      deployment,
    });
    return resource;
  }
}

/** Neither paths nor headers nor messages: a caller can put a token into each of them. */
const ACCESS_LOG = {
  time: '$context.requestTimeEpoch',
  request_id: '$context.requestId',
  // CloudFront's end of the connection. Headers can't be logged here: each function logs the viewer's address
  // (`source_ip`) under the same `request_id`.
  edge_ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  status: '$context.status',
  refused_as: '$context.error.responseType',
  latency_ms: '$context.responseLatency',
  function_latency_ms: '$context.integrationLatency',
  bytes: '$context.responseLength',
};

function transfer(mode: Route['mode']) {
  return mode === 'stream'
    ? { timeout: STREAM_TIMEOUT, responseTransferMode: ResponseTransferMode.STREAM }
    : { timeout: BUFFERED_TIMEOUT, responseTransferMode: ResponseTransferMode.BUFFERED };
}

/** `jobs.read` → `JobsRead`. */
function constructId(functionId: string): string {
  return functionId.replaceAll(/(?:^|[.-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function acknowledge(stack: ApiStack): void {
  const reasons = {
    'AwsSolutions-APIG2':
      'The functions judge every request by the schemas of the routing table, in the order the interface fixes.',
    'AwsSolutions-APIG3':
      'A web application firewall costs more than an idle deployment; throttling and tokens are there without it.',
    'AwsSolutions-APIG4':
      'The functions authenticate every caller themselves: API Gateway knows none of our principals.',
    'AwsSolutions-COG4':
      'The functions authenticate every caller themselves: API Gateway knows none of our principals.',
    'AwsSolutions-APIG6':
      'An execution log would hold messages that can echo a token; the access log tells what is needed.',
    'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
      IAM_EXCEPTIONS.accessLog.reason,
  };
  for (const [id, reason] of Object.entries(reasons)) Validations.of(stack).acknowledge({ id, reason });
}
