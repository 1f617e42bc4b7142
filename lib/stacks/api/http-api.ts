import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  CfnAccount,
  EndpointType,
  LogGroupLogDestination,
  RestApiMode,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Deployment } from '../../platform/config/deployment.ts';
import { apiDocument, type Endpoint } from './api-document.ts';
import { STAGE } from './api-origin.ts';

interface HttpApiProps {
  readonly deployment: Deployment;
  readonly accessLog: ILogGroup;
  readonly endpoints: readonly (Endpoint & { readonly id: string })[];
  /** The function for every method and path without an endpoint. */
  readonly fallbackArn: string;
}

/**
 * The REST API: one resource created from a document, its stage, and the permission to call each function. An import
 * overwrites everything in the API, so no part of it can be a separate resource.
 */
export class HttpApi extends Construct {
  readonly resource: SpecRestApi;

  constructor(scope: Construct, id: string, { deployment, accessLog, endpoints, fallbackArn }: HttpApiProps) {
    super(scope, id);
    const { deploymentName, throttling } = deployment;
    this.resource = new SpecRestApi(this, 'Document', {
      restApiName: deploymentName,
      apiDefinition: ApiDefinition.fromInline(apiDocument(deploymentName, endpoints, fallbackArn)),
      mode: RestApiMode.OVERWRITE,
      endpointTypes: [EndpointType.REGIONAL],
      // For the import too, which otherwise creates an edge-optimized API.
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
      cloudWatchRole: false,
      deployOptions: {
        stageName: STAGE,
        throttlingRateLimit: throttling.rate,
        throttlingBurstLimit: throttling.burst,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(ACCESS_LOG)),
      },
    });
    // The API's own address is for the distribution only.
    this.resource.node.tryRemoveChild('Endpoint');
    this.resource.deploymentStage.node.addDependency(this.#logWriter());
    this.#permit(endpoints, fallbackArn);
  }

  /**
   * Allows API Gateway to write access logs. The account has one such role for all its APIs, so it outlives this
   * deployment; for the same reason it keeps its logical id.
   */
  #logWriter(): CfnAccount {
    const role = new Role(this, 'CloudWatchRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs')],
    });
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    for (const kept of [role, account]) kept.applyRemovalPolicy(RemovalPolicy.RETAIN);
    // Only the definition, not the stage, which depends on this.
    if (this.resource.node.defaultChild !== undefined) account.node.addDependency(this.resource.node.defaultChild);
    return account;
  }

  /** One permission for each function: a function's policy is limited to 20 KB. All exist before the stage changes. */
  #permit(endpoints: HttpApiProps['endpoints'], fallbackArn: string): void {
    const permissions = [
      ...endpoints.map(({ id, method, path, functionArn }) =>
        this.#permission(id, functionArn, [method, path.replaceAll(/\{[a-z_]+\}/g, '*'), STAGE]),
      ),
      this.#permission('Fallback', fallbackArn, []),
    ];
    this.resource.latestDeployment?.node.addDependency(...permissions);
  }

  #permission(id: string, functionName: string, source: readonly string[]): CfnPermission {
    const [method, path, stage] = source;
    return new CfnPermission(this, `Call.${id}`, {
      action: 'lambda:InvokeFunction',
      functionName,
      principal: 'apigateway.amazonaws.com',
      sourceArn: this.resource.arnForExecuteApi(method, path, stage),
    });
  }
}

/** No paths, headers or messages: each of them can contain a caller's token. */
const ACCESS_LOG = {
  time: '$context.requestTimeEpoch',
  request_id: '$context.requestId',
  // CloudFront's address. Headers can't be logged here: each function logs the client's address (`source_ip`) under the
  // same `request_id`.
  edge_ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  status: '$context.status',
  refused_as: '$context.error.responseType',
  latency_ms: '$context.responseLatency',
  function_latency_ms: '$context.integrationLatency',
  bytes: '$context.responseLength',
};
