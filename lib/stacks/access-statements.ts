import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type Access, pathParameters, type Route } from '../contract/route.ts';
import type { DataStack } from './data-stack.ts';
import {
  EXCEPT_TOKENS,
  indexStatement,
  itemStatement,
  ofKinds,
  outputStatements,
  queueStatement,
  TOKEN_KIND,
} from './data-statements.ts';

/** What a route's function may do: find out who calls, and what its line of the routing table declares. */
export function accessStatements(data: DataStack, { access, path }: Pick<Route, 'access' | 'path'>): PolicyStatement[] {
  return [
    ...authenticationStatements(data),
    ...jobStatements(data, access.jobs, pathParameters(path)),
    ...registryStatements(data, access.registry),
    ...objectStatements(data, access.output),
    ...(access.permits === 'send' ? [queueStatement(data, ['SendMessage', 'GetQueueAttributes'])] : []),
  ];
}

/** Every function reads the caller's token and notes its last use, but none can give a token another state or scope. */
function authenticationStatements(data: DataStack): PolicyStatement[] {
  return [
    itemStatement(data, 'registry', ['GetItem'], ofKinds(TOKEN_KIND)),
    itemStatement(data, 'registry', ['UpdateItem'], {
      'ForAllValues:StringEquals': {
        'dynamodb:LeadingKeys': [TOKEN_KIND],
        'dynamodb:Attributes': ['kind', 'id', 'last_used_at'],
      },
      StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE'] },
    }),
  ];
}

/** A route whose path names no job is about many: it may read the indexes that lists are made from. */
function jobStatements(data: DataStack, access: Access['jobs'], parameters: readonly string[]): PolicyStatement[] {
  if (access === undefined) return [];
  const writes = access === 'write' ? (['PutItem', 'UpdateItem'] as const) : [];
  return [
    itemStatement(data, 'jobs', ['GetItem', 'BatchGetItem', ...writes]),
    ...(parameters.length === 0 ? [indexStatement(data, ['by-time', 'by-status'])] : []),
  ];
}

function registryStatements(data: DataStack, access: Access['registry']): PolicyStatement[] {
  if (access === undefined) return [];
  const writes = access === 'write' ? (['PutItem', 'UpdateItem', 'DeleteItem'] as const) : [];
  return [itemStatement(data, 'registry', ['GetItem', 'BatchGetItem', 'Query', ...writes], EXCEPT_TOKENS)];
}

function objectStatements(data: DataStack, access: Access['output']): PolicyStatement[] {
  if (access === undefined) return [];
  return outputStatements(data, access === 'write' ? ['GetObject', 'PutObject'] : ['GetObject']);
}
