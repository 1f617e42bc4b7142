import type { CfnStack, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { nestedStacksOf, ownResourcesOf, propertiesOfOnly, resourcesOf, roleStatements } from '../synthesis.ts';

const functionSchema = z.object({
  Code: z.object({ ZipFile: z.string() }),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }),
  Role: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  Runtime: z.string(),
  Architectures: z.tuple([z.string()]),
  Timeout: z.number(),
  MemorySize: z.number(),
  Handler: z.literal('index.handler'),
});

const referenceSchema = z.object({ Ref: z.string() });
const parametersSchema = z.record(z.string(), z.unknown()).default({});

/** A stack's functions, those of its nested stacks included, by the id that `codeOf` gave their code. */
export function functionsById(stack: Stack) {
  const nested = [...ownResourcesOf(stack, 'AWS::CloudFormation::Stack').values()];
  const passed = new Map(
    nested.flatMap(({ Properties }) => Object.entries(parametersSchema.parse(Properties.Parameters))),
  );
  // What a nested stack has as a parameter is shown as the value that it is given.
  const given = (value: unknown) => passed.get(referenceSchema.safeParse(value).data?.Ref ?? '') ?? value;
  return new Map(
    [...resourcesOf(stack, 'AWS::Lambda::Function')].map(([logicalId, { Properties }]) => {
      const { Code, Environment, Role, ...rest } = functionSchema.parse(Properties);
      return [
        Code.ZipFile,
        {
          logicalId,
          environment: Object.fromEntries(
            Object.entries(Environment.Variables).map(([name, value]) => [name, given(value)]),
          ),
          role: Role['Fn::GetAtt'][0],
          runtime: rest.Runtime,
          architecture: rest.Architectures[0],
          timeout: rest.Timeout,
          memory: rest.MemorySize,
        },
      ] as const;
    }),
  );
}

const parameter = z.strictObject({
  name: z.string(),
  in: z.literal('path'),
  required: z.literal(true),
  schema: z.strictObject({ type: z.literal('string') }),
});
/** All that the document says of a method. Strict: API Gateway ignores what it does not know, and we would not notice. */
const operationSchema = z.strictObject({
  parameters: z.array(parameter).default([]),
  responses: z.strictObject({}),
  security: z.tuple([z.strictObject({ api_key: z.tuple([]) })]),
  'x-amazon-apigateway-integration': z.strictObject({
    type: z.literal('aws_proxy'),
    httpMethod: z.literal('POST'),
    passthroughBehavior: z.literal('when_no_match'),
    uri: z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) }),
    timeoutInMillis: z.number(),
    responseTransferMode: z.enum(['STREAM']).optional(),
  }),
});
const ANY_METHOD = 'x-amazon-apigateway-any-method';
const documentSchema = z.strictObject({
  openapi: z.literal('3.0.1'),
  info: z.strictObject({ title: z.string(), version: z.string() }),
  paths: z.record(
    z.string(),
    z.record(z.enum(['get', 'post', 'put', 'patch', 'delete', ANY_METHOD]), operationSchema.optional()),
  ),
  components: z.strictObject({
    securitySchemes: z.strictObject({
      api_key: z.strictObject({
        type: z.literal('apiKey'),
        name: z.literal('x-api-key'),
        in: z.literal('header'),
      }),
    }),
  }),
  'x-amazon-apigateway-gateway-responses': z.record(
    z.string(),
    z.strictObject({
      statusCode: z.string().optional(),
      responseParameters: z.record(z.string(), z.string()),
      responseTemplates: z.strictObject({ 'application/json': z.string() }),
    }),
  ),
});

/** The document from which API Gateway makes the API. */
export function apiDocumentOf(stack: Stack) {
  return documentSchema.parse(propertiesOfOnly(stack, 'AWS::ApiGateway::RestApi').Body);
}

const attribute = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) });

/** The logical id of the function that a value of a stack's template leads to, by an output of a nested stack or not. */
export function functionAt(stack: Stack, value: unknown): string {
  const [id, name] = attribute.parse(value)['Fn::GetAtt'];
  const nested = nestedStacksOf(stack).find(
    ({ nestedStackResource }) => nestedStackResource && stack.getLogicalId(nestedStackResource as CfnStack) === id,
  );
  if (nested === undefined) return id;
  const outputs = z
    .record(z.string(), z.object({ Value: attribute }))
    .parse(Template.fromStack(nested).toJSON().Outputs);
  return outputs[name.replace(/^Outputs\./, '')]?.Value['Fn::GetAtt'][0] ?? '';
}

/** What API Gateway answers: every method of every path, and which function it goes to. */
export function apiMethods(stack: Stack) {
  const functionIds = new Map([...functionsById(stack)].map(([id, { logicalId }]) => [logicalId, id]));
  return Object.entries(apiDocumentOf(stack).paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      if (operation === undefined) return [];
      const { uri, timeoutInMillis, responseTransferMode = 'BUFFERED' } = operation['x-amazon-apigateway-integration'];
      const target = uri['Fn::Join'][1].find((part) => attribute.safeParse(part).success);
      return [
        {
          verb: method === ANY_METHOD ? 'ANY' : method.toUpperCase(),
          path,
          parameters: operation.parameters.map(({ name }) => name),
          functionId: functionIds.get(functionAt(stack, target)),
          uri: JSON.stringify(uri),
          transfer: responseTransferMode,
          timeoutMs: timeoutInMillis,
        },
      ];
    }),
  );
}

/** What the roles of a stack's functions are allowed, besides writing their logs. */
export function roleGrants(stack: Stack) {
  const functions = functionsById(stack);
  const roles = roleStatements(stack);
  const grantsOf = (functionId: string) =>
    (roles.get(functions.get(functionId)?.role ?? '') ?? []).filter(({ actions }) => !actions[0]?.startsWith('logs:'));
  return {
    grantsOf,
    /** What a function may do with a service, on whatever. */
    actionsOf: (functionId: string, service: string) =>
      new Set(
        grantsOf(functionId).flatMap(({ actions }) => actions.filter((action) => action.startsWith(`${service}:`))),
      ),
    onTable: (functionId: string, table: 'Jobs' | 'Registry') =>
      grantsOf(functionId).filter(({ resources }) => resources.some((resource) => resource.includes(`GetAtt${table}`))),
  };
}
