import type { Stack } from 'aws-cdk-lib';
import * as z from 'zod';
import { resourcesOf, roleStatements } from '../synthesis.ts';

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

/** A stack's functions by the id that `codeOf` gave their code. */
export function functionsById(stack: Stack) {
  return new Map(
    [...resourcesOf(stack, 'AWS::Lambda::Function')].map(([logicalId, { Properties }]) => {
      const { Code, Environment, Role, ...rest } = functionSchema.parse(Properties);
      return [
        Code.ZipFile,
        {
          logicalId,
          environment: Environment.Variables,
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

const reference = z.union([
  z.object({ Ref: z.string() }),
  z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }),
]);
const resourceSchema = z.object({ PathPart: z.string(), ParentId: reference });
const methodSchema = z.object({
  HttpMethod: z.string(),
  ResourceId: reference,
  Integration: z.object({
    Type: z.literal('AWS_PROXY'),
    Uri: z.unknown(),
    TimeoutInMillis: z.number(),
    ResponseTransferMode: z.string().default('BUFFERED'),
  }),
});

/** What API Gateway answers: every method of every path, and which function it goes to. */
export function apiMethods(stack: Stack) {
  const resources = resourcesOf(stack, 'AWS::ApiGateway::Resource');
  const functionIds = new Map([...functionsById(stack)].map(([id, { logicalId }]) => [logicalId, id]));
  const pathOf = (id: z.output<typeof reference>): string => {
    if (!('Ref' in id)) return '';
    const { PathPart, ParentId } = resourceSchema.parse(resources.get(id.Ref)?.Properties);
    return `${pathOf(ParentId)}/${PathPart}`;
  };
  return [...resourcesOf(stack, 'AWS::ApiGateway::Method').values()].map(({ Properties }) => {
    const { HttpMethod, ResourceId, Integration } = methodSchema.parse(Properties);
    const uri = JSON.stringify(Integration.Uri);
    const target = /"Fn::GetAtt":\["([^"]+)","Arn"\]/.exec(uri)?.[1] ?? '';
    return {
      verb: HttpMethod,
      path: pathOf(ResourceId) || '/',
      functionId: functionIds.get(target),
      uri,
      transfer: Integration.ResponseTransferMode,
      timeoutMs: Integration.TimeoutInMillis,
    };
  });
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
