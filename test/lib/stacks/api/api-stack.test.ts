import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { wholePath } from '../../../../lib/contract/route.ts';
import { doors } from '../../../../lib/contract/routes/routes.ts';
import { DELIVERIES } from '../../../../lib/platform/aws/tables.ts';
import { apiEnv } from '../../../../lib/platform/config/api-env.ts';
import { triggerEnv } from '../../../../lib/platform/config/function-env.ts';
import { readEnv } from '../../../../lib/platform/config/read-env.ts';
import { ApiStack } from '../../../../lib/stacks/api/api-stack.ts';
import { DataStack } from '../../../../lib/stacks/data/data-stack.ts';
import { TRIGGERS } from '../../../../lib/stacks/functions/bundle-functions.ts';
import { COUNTED_RECORDS } from '../../../../lib/stats/counting/stream-filter.ts';
import { codeOf, deployment, propertiesOfOnly, resourcesOf, standIns, testApp, VERSION } from '../synthesis.ts';
import { apiDocumentOf, apiMethods, functionAt, functionsById, roleGrants } from './api-methods.ts';

const served = doors;
const app = testApp();
const data = new DataStack(app, 'data');
const settings = deployment({ throttling: { rate: 7, burst: 9 }, maxBodyBytes: 1_000, scopeEnforcement: true });
const stack = new ApiStack(app, 'api', { data, deployment: settings, version: VERSION, codeOf });
const methods = apiMethods(stack);
const functions = functionsById(stack);

const { actionsOf, onTable } = roleGrants(stack);

describe('API Gateway', () => {
  test.each(served)('sends $method $path to the function $id', (route) => {
    const method = methods.find(({ path, verb }) => path === wholePath(route) && verb === route.method);
    expect(method?.functionId).toBe(route.id);
    const streamed = route.mode === 'stream';
    expect(method?.transfer).toBe(streamed ? 'STREAM' : 'BUFFERED');
    expect(method?.uri).toContain(streamed ? '/response-streaming-invocations' : '/invocations');
    expect(method?.timeoutMs).toBe(streamed ? 900_000 : 29_000);
    expect(functions.get(route.id)).toMatchObject({ timeout: streamed ? 900 : 29, memory: streamed ? 512 : 1_024 });
  });

  test('rejects requests without the key that the distribution sends', () => {
    // That every method asks for it is in the schema by which the document is read.
    expect(methods.length).toBeGreaterThan(served.length);
    const restApi = propertiesOfOnly(stack, 'AWS::ApiGateway::RestApi');
    // In the header x-api-key, which is the default.
    expect(restApi.ApiKeySourceType ?? 'HEADER').toBe('HEADER');
  });

  test("may call each route's function for that route only, and the catch-all for everything", () => {
    const arns = new Map<string, string[]>();
    for (const { Properties } of resourcesOf(stack, 'AWS::Lambda::Permission').values()) {
      if (Properties.Principal !== 'apigateway.amazonaws.com') continue;
      const id = functionAt(stack, Properties.FunctionName);
      arns.set(id, [...(arns.get(id) ?? []), JSON.stringify(Properties.SourceArn)]);
    }
    const callers = (id: string) => arns.get(functions.get(id)?.logicalId ?? '') ?? [];
    for (const route of served) {
      const path = wholePath(route).replaceAll(/\{[a-z_]+\}/g, '*');
      expect(callers(route.id)).toEqual([expect.stringContaining(`/live/${route.method}${path}"`)]);
    }
    expect(callers('not-found.answer')).toEqual([expect.stringContaining('/*/*/*')]);
  });

  test('has the configured rate limit, and logs requests without path, header or message', () => {
    const [stage] = resourcesOf(stack, 'AWS::ApiGateway::Stage').values();
    expect(stage?.Properties).toMatchObject({
      MethodSettings: [{ HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 7, ThrottlingBurstLimit: 9 }],
    });
    const { Format } = z.object({ Format: z.string() }).parse(stage?.Properties.AccessLogSetting);
    const variables = [...Format.matchAll(/\$[A-Za-z.]+/g)].map(String);
    expect(
      variables.filter((name) => /\.(path|requestPath|requestOverride|header|error\.message)/i.test(name)),
    ).toEqual([]);
    expect(variables).toContain('$context.requestId');
    // Behind CloudFront the other end of the connection is CloudFront's, and no header can be logged here.
    const fields = Object.entries(JSON.parse(Format) as Record<string, string>);
    expect(fields.filter(([, variable]) => variable === '$context.identity.sourceIp').map(([name]) => name)).toEqual([
      'edge_ip',
    ]);
  });

  test('answers with our error shape and texts instead of its built-in ones', () => {
    const answers = apiDocumentOf(stack)['x-amazon-apigateway-gateway-responses'];
    const said = Object.entries(answers).map(([type, { statusCode, responseTemplates }]) => {
      const body = z
        .strictObject({ error: z.string(), request_id: z.literal('$context.requestId') })
        .parse(JSON.parse(responseTemplates['application/json']));
      return [type, [statusCode, body.error]] as const;
    });
    expect(Object.fromEntries(said)).toEqual({
      REQUEST_TOO_LARGE: ['413', 'Invalid request size'],
      THROTTLED: ['429', 'too_many_requests'],
      QUOTA_EXCEEDED: ['429', 'too_many_requests'],
      MISSING_AUTHENTICATION_TOKEN: ['404', 'not_found'],
      INVALID_API_KEY: ['403', 'forbidden'],
      RESOURCE_NOT_FOUND: ['404', 'not_found'],
      INTEGRATION_TIMEOUT: ['504', 'timed_out'],
      DEFAULT_4XX: [undefined, expect.any(String)],
      DEFAULT_5XX: [undefined, 'internal_error'],
    });
    for (const { responseParameters } of Object.values(answers)) {
      expect(responseParameters['gatewayresponse.header.x-request-id']).toBe('context.requestId');
      expect(responseParameters['gatewayresponse.header.cache-control']).toBe("'no-store'");
    }
    expect(resourcesOf(stack, 'AWS::ApiGateway::GatewayResponse').size).toBe(0);
    expect(JSON.stringify(answers)).not.toMatch(/error\.message|\$context\.(path|error)|method\.request/);
  });
});

describe('the functions', () => {
  test.each([...served.map(({ id }) => id), 'not-found.answer'])(
    '%s gets every variable that its environment is checked for',
    (id) => {
      const env = readEnv(apiEnv, standIns(functions.get(id)?.environment ?? {}));
      expect(env).toMatchObject({
        PROMPTQ_TIMEOUT_UNIT: 'seconds',
        PROMPTQ_MAX_BODY_BYTES: 1_000,
        PROMPTQ_API_SCOPE_ENFORCE: true,
        PROMPTQ_VERSION: VERSION,
      });
    },
  );

  test.each(TRIGGERS)('%s gets every variable that its environment is checked for', (id) => {
    expect(() => readEnv(triggerEnv, standIns(functions.get(id)?.environment ?? {}))).not.toThrow();
  });
});

describe('the triggers', () => {
  const mappingsOf = (id: string) =>
    [...resourcesOf(stack, 'AWS::Lambda::EventSourceMapping').values()].filter(({ Properties }) =>
      isDeepStrictEqual(Properties.FunctionName, { Ref: functions.get(id)?.logicalId }),
    );

  test('count every state change of a job, and no heartbeat', () => {
    const [mapping, ...others] = mappingsOf('triggers.count-jobs');
    expect(others).toEqual([]);
    expect(mapping?.Properties).toMatchObject({
      FunctionName: { Ref: functions.get('triggers.count-jobs')?.logicalId },
      StartingPosition: 'TRIM_HORIZON',
      TumblingWindowInSeconds: 1,
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: -1,
      ParallelizationFactor: 1,
    });
    for (const loss of ['MaximumRecordAgeInSeconds', 'DestinationConfig']) {
      expect(mapping?.Properties).not.toHaveProperty(loss);
    }
    const criteria = z.object({ Filters: z.array(z.object({ Pattern: z.string() })) });
    const { Filters } = criteria.parse(mapping?.Properties.FilterCriteria);
    const filters = Filters.map(({ Pattern }): unknown => JSON.parse(Pattern));
    expect(filters).toEqual(COUNTED_RECORDS);
    // Lambda's guide names no other key of a table's record for patterns.
    expect(new Set(filters.flatMap((filter) => Object.keys(filter as object)))).toEqual(new Set(['dynamodb']));
    // Lambda's default quota.
    expect(filters.length).toBeLessThanOrEqual(5);
    expect([...actionsOf('triggers.count-jobs', 's3'), ...actionsOf('triggers.count-jobs', 'sqs')]).toEqual([]);
    const [counter] = onTable('triggers.count-jobs', 'Registry');
    const kinds = ['counter', 'day-figures', 'model-figures', 'project-figures'];
    expect(counter?.condition).toEqual({ 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': kinds } });
  });

  test('make signed calls, and no other function reads the signing secrets', () => {
    const [mapping] = mappingsOf('triggers.deliver-calls');
    expect(mapping?.Properties).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      // With five followed logs it leaves three of the ten functions that a new account runs at a time.
      ScalingConfig: { MaximumConcurrency: 2 },
    });
    // A message must stay hidden while its call may be running: AWS asks for six times the function's timeout.
    expect(functions.get('triggers.deliver-calls')?.timeout).toBeLessThanOrEqual(DELIVERIES.visibilityTimeout / 6);
    const mayRead = [...functions.keys()].filter((id) =>
      onTable(id, 'Registry').some(
        ({ actions, condition }) =>
          actions.some((action) => /Get|Query/.test(action)) &&
          JSON.stringify(condition).includes('binding-secret') &&
          !JSON.stringify(condition).includes('StringNotEquals'),
      ),
    );
    expect(mayRead).toEqual([
      'triggers.deliver-calls',
      'triggers.read-feed',
      'subscriptions.telegram',
      'subscriptions.slack',
    ]);
  });
});
