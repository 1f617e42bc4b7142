import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { wholePath } from '../../../../lib/contract/route.ts';
import { doors } from '../../../../lib/contract/routes/routes.ts';
import { TLS_ONLY_HEADERS } from '../../../../lib/contract/security-headers.ts';
import { CONSOLE_HEADERS, consoleFile } from '../../../../lib/platform/config/console-headers.ts';
import {
  GATEWAY_KEY_HEADER,
  ORIGIN_SECRET_HEADER,
  VIEWER_ADDRESS_HEADER,
} from '../../../../lib/platform/config/edge-headers.ts';
import { originSecretEnv, publishConsoleEnv } from '../../../../lib/platform/config/function-env.ts';
import { readEnv } from '../../../../lib/platform/config/read-env.ts';
import { KEEP_ORIGIN_SECRET, PUBLISH_CONSOLE } from '../../../../lib/stacks/functions/bundle-functions.ts';
import { functionsById, roleGrants } from '../api/api-methods.ts';
import { policyDocument, propertiesOfOnly, resourcesOf, standIns } from '../synthesis.ts';
import { twoDeployments } from '../two-deployments.ts';
import { distributionOf, runEdgeFunction } from './distribution.ts';

const { plain, rich } = twoDeployments();

const distribution = distributionOf(plain.console);
const { DefaultCacheBehavior: ofConsole, CacheBehaviors: ofApi } = distribution;
const originOf = ({ TargetOriginId }: { readonly TargetOriginId: string }) =>
  distribution.Origins.find(({ Id }) => Id === TargetOriginId);

describe('the distribution, for the API', () => {
  const matches = (path: string) =>
    ofApi.some(({ PathPattern = '' }) => new RegExp(`^${PathPattern.replace('*', '.*')}$`).test(path));

  test("serves the API's paths of the local run, and no page of the console", () => {
    const paths = doors.map(wholePath);
    for (const path of [...paths, '/api', '/auth', '/api/v2/x']) expect(matches(path), path).toBe(true);
    for (const path of ['/', '/jobs/job_1', '/api-tokens', '/authors']) expect(matches(path), path).toBe(false);
  });

  test('requires TLS, caches and compresses nothing, and passes on all headers but the host', () => {
    for (const each of ofApi) {
      expect(each).toMatchObject({
        // CachingDisabled and AllViewerExceptHostHeader, by the ids that AWS documents.
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
        Compress: false,
        ViewerProtocolPolicy: 'https-only',
        AllowedMethods: expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']),
      });
      expect(each).not.toHaveProperty('ResponseHeadersPolicyId');
    }
  });

  test('has the stage as origin, over TLS 1.2, and waits a minute', () => {
    for (const each of ofApi) {
      expect(originOf(each)).toMatchObject({
        OriginPath: '/live',
        CustomOriginConfig: {
          OriginProtocolPolicy: 'https-only',
          OriginSSLProtocols: ['TLSv1.2'],
          OriginReadTimeout: 60,
        },
      });
      expect(JSON.stringify(originOf(each)?.DomainName)).toContain('.execute-api.');
    }
  });

  test("sends the viewer's address and overwrites the header that the viewer sends", () => {
    const headers = { [VIEWER_ADDRESS_HEADER]: { value: '10.0.0.1' }, accept: { value: '*/*' } };
    const request = { uri: '/api/v1/jobs', headers };
    for (const each of ofApi) {
      expect(runEdgeFunction(plain.console, each, { viewer: { ip: '203.0.113.7' }, request })).toEqual({
        ...request,
        headers: { ...headers, [VIEWER_ADDRESS_HEADER]: { value: '203.0.113.7' } },
      });
    }
  });

  test('passes errors on unchanged and uncached', () => {
    const codes = distribution.CustomErrorResponses.map((response) =>
      z.strictObject({ ErrorCode: z.number(), ErrorCachingMinTTL: z.literal(0) }).parse(response),
    ).map(({ ErrorCode }) => ErrorCode);
    expect(codes).toEqual([400, 403, 404, 405, 414, 500, 501, 502, 503, 504]);
  });
});

describe('the secret of the origin', () => {
  test('is only in the header to the API: in no template, environment or output', () => {
    const headers = ofApi.map((each) =>
      z
        .object({
          OriginCustomHeaders: z.tuple([
            z.object({ HeaderName: z.literal(ORIGIN_SECRET_HEADER), HeaderValue: z.unknown() }),
            z.object({ HeaderName: z.literal(GATEWAY_KEY_HEADER), HeaderValue: z.unknown() }),
          ]),
        })
        .parse(originOf(each)),
    );
    const secret = { 'Fn::GetAtt': [expect.stringMatching(/^OriginSecret/), 'Value'] };
    const key = { 'Fn::GetAtt': [expect.stringMatching(/^OriginSecret/), 'GatewayKey'] };
    expect(headers.map(({ OriginCustomHeaders: [first, second] }) => [first.HeaderValue, second.HeaderValue])).toEqual(
      headers.map(() => [secret, key]),
    );
    const texts = Object.values(plain).map((stack) => JSON.stringify(Template.fromStack(stack).toJSON()));
    expect(texts.flatMap((text) => text.match(/"OriginSecret[^"]*","Value"\]/g) ?? [])).toHaveLength(1);
  });

  test('is created by a function that may use these parameters only', () => {
    const { grantsOf } = roleGrants(rich.api);
    const [grant, ...others] = grantsOf(KEEP_ORIGIN_SECRET);
    expect(others).toEqual([]);
    expect(grant?.actions).toEqual(['ssm:DeleteParameters', 'ssm:GetParameter', 'ssm:PutParameter']);
    expect(grant?.resources.map((resource) => /parameter(\/[^"]+)/.exec(resource)?.[1])).toEqual(
      [1, 2, 3].map((version) => `/rich-data/origin-secret/${version}`),
    );
    const environment = functionsById(rich.api).get(KEEP_ORIGIN_SECRET)?.environment ?? {};
    expect(readEnv(originSecretEnv, standIns(environment)).ORIGIN_SECRET_FOLDER).toBe('/rich-data/origin-secret');
  });

  test('is read by a function that may read these parameters only', () => {
    const [grant, ...others] = roleGrants(rich.console).grantsOf(KEEP_ORIGIN_SECRET);
    expect(others).toEqual([]);
    expect(grant?.actions).toEqual(['ssm:GetParameter']);
    expect(grant?.resources.map((one) => /parameter(\/[^"]+)/.exec(one)?.[1])).toEqual(
      [1, 2, 3].map((version) => `/rich-data/origin-secret/${version}`),
    );
  });
});

describe('the distribution, for the console', () => {
  test.each(['/', '/jobs', '/jobs/job_1', '/api-tokens', '/index.html', '/assets/index-1a2b.js', '/profiles/a.b'])(
    '%s shows what the local run shows',
    (uri) => {
      expect(runEdgeFunction(plain.console, ofConsole, { request: { uri } })).toEqual({ uri: consoleFile(uri) });
    },
  );

  test.each(['/.well-known/oauth-authorization-server', '/register', '/robots.txt', '/x.y.z'])(
    '%s is answered with JSON, as by the local run',
    (uri) => {
      expect(consoleFile(uri)).toBeUndefined();
      expect(runEdgeFunction(plain.console, ofConsole, { request: { uri } })).toMatchObject({
        statusCode: 404,
        headers: {
          'content-type': { value: 'application/json; charset=utf-8' },
          'cache-control': { value: 'no-store' },
        },
        body: '{"error":"not_found"}',
      });
    },
  );

  test('serves compressed files over TLS from a bucket that only it may read', () => {
    expect(ofConsole).toMatchObject({
      ViewerProtocolPolicy: 'redirect-to-https',
      Compress: true,
      // CachingOptimized: as long as the file's own header says.
      CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
    });
    expect(originOf(ofConsole)).toMatchObject({
      S3OriginConfig: { OriginAccessIdentity: '' },
      OriginAccessControlId: { 'Fn::GetAtt': [expect.any(String), 'Id'] },
    });
    const { PolicyDocument } = z
      .object({ PolicyDocument: policyDocument })
      .parse(propertiesOfOnly(plain.console, 'AWS::S3::BucketPolicy'));
    const allowed = PolicyDocument.Statement.filter(({ effect }) => effect === 'Allow');
    expect(allowed.map(({ actions }) => actions)).toEqual([['s3:GetObject', 's3:ListBucket']]);
    for (const { condition } of allowed)
      expect(JSON.stringify(condition)).toMatch(/"AWS:SourceArn":.*:distribution\/",\{"Ref":"Distribution/);
    expect(propertiesOfOnly(plain.console, 'AWS::S3::Bucket')).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
  });

  test('sends the headers that the local run sends, and keeps browsers with TLS', () => {
    const { ResponseHeadersPolicyConfig: config } = z
      .object({
        ResponseHeadersPolicyConfig: z.object({
          SecurityHeadersConfig: z.object({
            ContentSecurityPolicy: z.object({ ContentSecurityPolicy: z.string() }),
            ContentTypeOptions: z.object({}),
            FrameOptions: z.object({ FrameOption: z.string() }),
            ReferrerPolicy: z.object({ ReferrerPolicy: z.string() }),
            StrictTransportSecurity: z.object({ AccessControlMaxAgeSec: z.number() }),
          }),
          CustomHeadersConfig: z.object({ Items: z.array(z.object({ Header: z.string(), Value: z.string() })) }),
        }),
      })
      .parse(propertiesOfOnly(plain.console, 'AWS::CloudFront::ResponseHeadersPolicy'));
    const security = config.SecurityHeadersConfig;
    expect({
      'content-security-policy': security.ContentSecurityPolicy.ContentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'x-frame-options': security.FrameOptions.FrameOption,
      'referrer-policy': security.ReferrerPolicy.ReferrerPolicy,
      'strict-transport-security': `max-age=${security.StrictTransportSecurity.AccessControlMaxAgeSec}`,
      ...Object.fromEntries(config.CustomHeadersConfig.Items.map(({ Header, Value }) => [Header, Value])),
    }).toEqual({ ...CONSOLE_HEADERS, ...TLS_ONLY_HEADERS });
  });

  test('gets its files from a function that may write only to that bucket', () => {
    const { grantsOf } = roleGrants(plain.console);
    expect(grantsOf(PUBLISH_CONSOLE)).toMatchObject([
      { actions: ['s3:DeleteObject', 's3:PutObject'], resources: [expect.stringContaining('ConsoleFiles')] },
      { actions: ['s3:ListBucket'], resources: [expect.stringContaining('ConsoleFiles')] },
    ]);
    const environment = functionsById(plain.console).get(PUBLISH_CONSOLE)?.environment ?? {};
    expect(readEnv(publishConsoleEnv, standIns(environment)).CONSOLE_FOLDER).toBe('/var/task/console');
    // Another bundle is another property, so that CloudFormation asks for it.
    expect(propertiesOfOnly(plain.console, 'Custom::PromptqConsole').Bundle).toBe(PUBLISH_CONSOLE);
  });
});

describe('a custom domain', () => {
  test('is answered with TLS 1.2 and found in its zone, behind the firewall', () => {
    const { Aliases, ViewerCertificate, WebACLId } = distributionOf(rich.console);
    expect(Aliases).toEqual(['queue.example.com']);
    expect(ViewerCertificate).toEqual({
      AcmCertificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/1',
      MinimumProtocolVersion: 'TLSv1.2_2021',
      SslSupportMethod: 'sni-only',
    });
    expect(WebACLId).toBe('arn:aws:wafv2:us-east-1:111122223333:global/webacl/mine/1');
    const records = [...resourcesOf(rich.console, 'AWS::Route53::RecordSet').values()];
    expect(records.map(({ Properties }) => [Properties.Name, Properties.Type]).sort()).toEqual([
      ['queue.example.com.', 'A'],
      ['queue.example.com.', 'AAAA'],
    ]);
  });

  test('is off by default: no certificate, no records, no firewall', () => {
    const { Aliases, WebACLId } = distribution;
    expect([Aliases, WebACLId]).toEqual([undefined, undefined]);
    expect(resourcesOf(plain.console, 'AWS::Route53::RecordSet').size).toBe(0);
  });
});
