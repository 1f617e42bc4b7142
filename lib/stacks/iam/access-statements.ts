import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Access, Door, Method } from '../../contract/route.ts';
import {
  AUDIT_KIND,
  BINDING_SECRET_KIND,
  EXPORT_KIND,
  FOLLOW_SLOT_KIND,
  HOOK_SECRET_KIND,
  PRINCIPAL_KINDS,
} from '../../platform/aws/tables.ts';
import type { DataStack } from '../data/data-stack.ts';
import {
  clientSecretStatement,
  deliveriesStatement,
  EXCEPT_PRIVATE,
  exportStatements,
  indexStatement,
  itemStatement,
  loginReaderStatement,
  ofKinds,
  outputRemovalStatements,
  outputStatements,
  queueStatement,
  secretsStatement,
  serviceEndpointsStatement,
  signalsStatement,
  wakeExportsStatement,
  wakeReadersStatement,
  wakeScalingStatement,
} from './table-grants.ts';

/** A door, or the fallback for all other paths and methods. */
export type Served = Pick<Door, 'access' | 'audited'> & {
  readonly method: Method | 'ANY';
  readonly auth: Pick<Door['auth'], 'kind'>;
};

/** The permissions of a route's function: to authenticate callers, and what the route declares. */
export function accessStatements(
  data: DataStack,
  { access, audited = false, method, auth }: Served,
): PolicyStatement[] {
  return [
    ...authenticationStatements(data),
    secretsStatement(data),
    ...(auth.kind === 'page' || method !== 'GET' || access.publicOrigin === 'read'
      ? [serviceEndpointsStatement(data)]
      : []),
    ...auditStatements(data, access.audit, audited),
    ...jobStatements(data, access),
    ...registryStatements(data, access.registry),
    ...objectStatements(data, access.output),
    ...(access.removal === 'jobs'
      ? [itemStatement(data, 'jobs', ['DeleteItem']), ...outputStatements(data, ['DeleteObject'])]
      : []),
    ...(access.removal === 'output' ? outputRemovalStatements(data) : []),
    ...principalStatements(data, access),
    ...(access.dispatchQueues === 'send' ? [queueStatement(data, ['SendMessage', 'GetQueueAttributes'])] : []),
    ...(access.deliveries === 'send' ? [deliveriesStatement(data, ['SendMessage'])] : []),
    ...(access.bindingSecrets === undefined
      ? []
      : [itemStatement(data, 'registry', SECRET_ACTIONS[access.bindingSecrets], ofKinds(BINDING_SECRET_KIND))]),
    ...(access.hookSecrets === undefined
      ? []
      : [itemStatement(data, 'registry', SECRET_ACTIONS[access.hookSecrets], ofKinds(HOOK_SECRET_KIND))]),
    ...(access.followSlots === 'write'
      ? [itemStatement(data, 'registry', ['PutItem', 'DeleteItem'], ofKinds(FOLLOW_SLOT_KIND))]
      : []),
    ...(access.exports ?? []).flatMap((use) => EXPORT_STATEMENTS[use](data)),
    ...(access.loginCode === 'read' ? [loginReaderStatement(data)] : []),
    ...(access.feedReaders === 'call' ? [wakeReadersStatement(data)] : []),
    ...(access.scaling === 'wake' ? [wakeScalingStatement(data)] : []),
  ];
}

/**
 * Every function reads the caller's token or session and records its use, but none can change a token's state or
 * scopes, or a session's owner, role or end.
 */
function authenticationStatements(data: DataStack): PolicyStatement[] {
  const { token, session } = PRINCIPAL_KINDS;
  return [
    itemStatement(data, 'registry', ['GetItem'], ofKinds(token, session)),
    noteUseStatement(data, token, ['last_used_at']),
    noteUseStatement(data, session, ['last_used_at', 'expires_at', 'expires_at_epoch']),
  ];
}

function noteUseStatement(data: DataStack, kind: string, attributes: readonly string[]): PolicyStatement {
  return itemStatement(data, 'registry', ['UpdateItem'], {
    'ForAllValues:StringEquals': {
      'dynamodb:LeadingKeys': [kind],
      'dynamodb:Attributes': ['kind', 'id', ...attributes],
    },
    StringEqualsIfExists: { 'dynamodb:ReturnValues': ['NONE'] },
  });
}

const SECRET_ACTIONS = { read: ['GetItem'], write: ['PutItem', 'DeleteItem'] } as const;
const TOKEN_ACTIONS = { list: 'Query', create: 'PutItem', change: 'UpdateItem' } as const;
const SESSION_ACTIONS = { list: 'Query', start: 'PutItem', end: 'DeleteItem' } as const;

function principalStatements(data: DataStack, { tokens, sessions = [], clientSecret }: Access): PolicyStatement[] {
  const { token, session } = PRINCIPAL_KINDS;
  return [
    ...(tokens === undefined ? [] : [itemStatement(data, 'registry', [TOKEN_ACTIONS[tokens]], ofKinds(token))]),
    ...sessions.map((use) => itemStatement(data, 'registry', [SESSION_ACTIONS[use]], ofKinds(session))),
    ...(clientSecret === 'read' ? [clientSecretStatement(data)] : []),
  ];
}

function jobStatements(data: DataStack, { jobs, jobIndexes = [] }: Access): PolicyStatement[] {
  const writes = jobs === 'write' ? (['PutItem', 'UpdateItem'] as const) : [];
  return [
    ...(jobs === undefined ? [] : [itemStatement(data, 'jobs', ['GetItem', 'BatchGetItem', ...writes])]),
    ...(jobs === 'write' ? [signalsStatement(data)] : []),
    ...(jobIndexes.length === 0 ? [] : [indexStatement(data, jobIndexes)]),
  ];
}

function registryStatements(data: DataStack, access: Access['registry']): PolicyStatement[] {
  if (access === undefined) return [];
  const writes = access === 'write' ? (['PutItem', 'UpdateItem', 'DeleteItem'] as const) : [];
  return [itemStatement(data, 'registry', ['GetItem', 'BatchGetItem', 'Query', ...writes], EXCEPT_PRIVATE)];
}

const EXPORT_STATEMENTS: Readonly<
  Record<NonNullable<Access['exports']>[number], (data: DataStack) => PolicyStatement[]>
> = {
  read: (data) => [itemStatement(data, 'registry', ['GetItem', 'Query'], ofKinds(EXPORT_KIND))],
  start: (data) => [itemStatement(data, 'registry', ['PutItem'], ofKinds(EXPORT_KIND)), wakeExportsStatement(data)],
  link: (data) => [...exportStatements(data, ['GetObject']), wakeExportsStatement(data)],
  delete: (data) => [
    itemStatement(data, 'registry', ['DeleteItem'], ofKinds(EXPORT_KIND)),
    ...exportStatements(data, ['DeleteObject']),
  ],
};

/** Rows are only added, never changed or removed. */
function auditStatements(data: DataStack, access: Access['audit'], audited: boolean): PolicyStatement[] {
  return [
    ...(audited ? [itemStatement(data, 'registry', ['PutItem'], ofKinds(AUDIT_KIND))] : []),
    ...(access === 'read' ? [itemStatement(data, 'registry', ['Query'], ofKinds(AUDIT_KIND))] : []),
  ];
}

function objectStatements(data: DataStack, access: Access['output']): PolicyStatement[] {
  if (access === undefined) return [];
  return outputStatements(data, access === 'write' ? ['GetObject', 'PutObject'] : ['GetObject']);
}
