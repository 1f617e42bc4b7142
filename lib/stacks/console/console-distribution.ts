import { Aws, Duration, Stack, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AccessLevel,
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  type ErrorResponse,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  type IOrigin,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  Signing,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { ERRORS } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { BASE_PATH } from '../../contract/route.ts';
import { SECURITY_HEADERS, TLS_ONLY_HEADERS } from '../../contract/security-headers.ts';
import { CONSOLE_FILE, CONSOLE_HEADERS, CONSOLE_PAGE } from '../../platform/config/console-headers.ts';
import type { Deployment } from '../../platform/config/deployment.ts';
import { GATEWAY_KEY_HEADER, ORIGIN_SECRET_HEADER, VIEWER_ADDRESS_HEADER } from '../../platform/config/edge-headers.ts';
import { STAGE } from '../api/api-origin.ts';

/** Path prefixes of the API, as in the local run; all other paths are the console's. */
const API_PREFIXES = [`/${BASE_PATH.split('/')[1]}`, '/auth'] as const;
/** Error statuses that CloudFront would cache for ten seconds for all clients, whatever their headers say. */
const UNCACHED_STATUSES = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504] as const;
/**
 * The longest silence of a response, for its first byte and between two. Afterwards CloudFront sends a GET again, twice,
 * and answers 504; it does not tell the function. Buffered functions end within API Gateway's 29 s, streams begin or give
 * up within `firstByteSeconds`, and slow work sends white space.
 */
const READ_TIMEOUT = Duration.seconds(LIMITS.stream.readTimeoutSeconds);

interface ConsoleDistributionProps {
  readonly deployment: Deployment;
  /** The API's host name. */
  readonly apiDomainName: string;
  /** The console's files. */
  readonly files: IBucket;
  /** Proves to the API, and to API Gateway, that a call comes through this distribution. */
  readonly originSecret: { readonly value: string; readonly gatewayKey: string };
}

/** The public entry point: the console and the API under one origin. */
export class ConsoleDistribution extends Construct {
  readonly resource: Distribution;
  readonly #name: string;

  constructor(
    scope: Construct,
    id: string,
    { deployment, apiDomainName, files, originSecret }: ConsoleDistributionProps,
  ) {
    super(scope, id);
    const { deploymentName, domain, webAclArn } = deployment;
    this.#name = deploymentName;
    const apiBehavior = this.#apiBehavior(
      new HttpOrigin(apiDomainName, {
        originPath: `/${STAGE}`,
        customHeaders: {
          [ORIGIN_SECRET_HEADER]: originSecret.value,
          [GATEWAY_KEY_HEADER]: originSecret.gatewayKey,
        },
        readTimeout: READ_TIMEOUT,
      }),
    );
    this.resource = new Distribution(this, 'Resource', {
      comment: deploymentName,
      defaultBehavior: this.#consoleBehavior(files),
      defaultRootObject: 'index.html',
      // A pattern without a separator would also match the console's page /api-tokens.
      additionalBehaviors: Object.fromEntries(
        API_PREFIXES.flatMap((prefix) => [prefix, `${prefix}/*`]).map((pattern) => [pattern, apiBehavior]),
      ),
      errorResponses: UNCACHED_STATUSES.map((httpStatus): ErrorResponse => ({ httpStatus, ttl: Duration.seconds(0) })),
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(domain !== undefined && {
        domainNames: [domain.name],
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      }),
      ...(webAclArn !== undefined && { webAclId: webAclArn }),
    });
    this.#acknowledge(deployment);
  }

  #consoleBehavior(files: IBucket): BehaviorOptions {
    const originAccessControl = new S3OriginAccessControl(this, 'Access', {
      originAccessControlName: this.#nameOf('console'),
      signing: Signing.SIGV4_ALWAYS,
    });
    return {
      // The list permission makes S3 answer 404 for a missing file; no path is a list request, so no listing is
      // exposed.
      origin: S3BucketOrigin.withOriginAccessControl(files, {
        originAccessControl,
        originAccessLevels: [AccessLevel.READ, AccessLevel.LIST],
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD,
      // Revalidates no-cache files within a second.
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      compress: true,
      responseHeadersPolicy: this.#consoleHeaders(),
      functionAssociations: [this.#atRequest('console-paths', CONSOLE_PATHS)],
    };
  }

  #apiBehavior(origin: IOrigin): BehaviorOptions {
    return {
      origin,
      // A client that sends a token without TLS should notice.
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      // Compression would delay streamed data.
      compress: false,
      functionAssociations: [this.#atRequest('viewer-address', VIEWER_ADDRESS)],
    };
  }

  #atRequest(name: string, source: string) {
    const edgeFunction = new EdgeFunction(this, name, {
      functionName: this.#nameOf(name),
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(source),
    });
    return { eventType: FunctionEventType.VIEWER_REQUEST, function: edgeFunction };
  }

  #consoleHeaders(): ResponseHeadersPolicy {
    const {
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': _sniffing,
      'x-frame-options': _frames,
      'referrer-policy': _referrer,
      ...others
    } = CONSOLE_HEADERS;
    return new ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: this.#nameOf('console'),
      securityHeadersBehavior: {
        contentSecurityPolicy: { contentSecurityPolicy, override: true },
        contentTypeOptions: { override: true },
        frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.SAME_ORIGIN, override: true },
        strictTransportSecurity: { accessControlMaxAge: tlsDuration(), override: true },
      },
      customHeadersBehavior: {
        customHeaders: Object.entries(others).map(([header, value]) => ({ header, value, override: true })),
      },
    });
  }

  /** These names are shared by all regions of the account. */
  #nameOf(part: string): string {
    return `${this.#name}-${part}-${Aws.REGION}`;
  }

  #acknowledge({ domain, webAclArn }: Deployment): void {
    const reasons: Record<string, string> = {
      'Annotation::@aws-cdk/aws-cloudfront-origins:listBucketSecurityRisk':
        'There is a default root object, and every other path is made that of a file: no request asks for the list.',
      'AwsSolutions-CFR1': 'A team may work from anywhere.',
      'AwsSolutions-CFR3':
        'Every call to the API is logged there, without what could hold a token; the console has files for everybody.',
      ...(webAclArn === undefined && {
        'AwsSolutions-CFR2': 'A firewall costs more than an idle deployment; the setting webAclArn puts one before it.',
      }),
      ...(domain === undefined && {
        'AwsSolutions-CFR4':
          "CloudFront's own certificate has no setting for TLS; with the setting domain it is 1.2 at least.",
      }),
    };
    for (const [id, reason] of Object.entries(reasons)) Validations.of(Stack.of(this)).acknowledge({ id, reason });
  }
}

/** The same as in the API's header. */
function tlsDuration(): Duration {
  return Duration.seconds(Number(TLS_ONLY_HEADERS['strict-transport-security'].replace('max-age=', '')));
}

/** CloudFront takes header names in lower case. */
const NOTHING_HEADERS = { 'content-type': 'application/json; charset=utf-8', ...SECURITY_HEADERS, ...TLS_ONLY_HEADERS };

const NOTHING = {
  statusCode: ERRORS.not_found.status,
  statusDescription: 'Not Found',
  headers: Object.fromEntries(Object.entries(NOTHING_HEADERS).map(([name, value]) => [name, { value }])),
  body: JSON.stringify({ error: ERRORS.not_found.word }),
};

/**
 * Functions that CloudFront runs on a client's request, in its subset of JavaScript. They share their constants with
 * the local run and the API.
 */

/**
 * Serves the console's one document at the paths of its pages, so that deep links work, and answers as the API does where
 * the console has nothing.
 */
const CONSOLE_PATHS = `
var page = new RegExp(${JSON.stringify(CONSOLE_PAGE.source)});
var file = new RegExp(${JSON.stringify(CONSOLE_FILE.source)});
var nothing = ${JSON.stringify(NOTHING)};
function handler(event) {
  var request = event.request;
  if (page.test(request.uri)) request.uri = '/index.html';
  else if (!file.test(request.uri)) return nothing;
  return request;
}
`.trim();

/** Sets the client's address for the API, overwriting the client's own header. */
const VIEWER_ADDRESS = `
function handler(event) {
  var request = event.request;
  request.headers[${JSON.stringify(VIEWER_ADDRESS_HEADER)}] = { value: event.viewer.ip };
  return request;
}
`.trim();
