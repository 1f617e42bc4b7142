import * as z from 'zod';
import type { Access } from '../../lib/contract/route.ts';
import {
  AUDIT_KIND,
  BINDING_SECRET_KIND,
  EXPORT_KIND,
  FOLLOW_SLOT_KIND,
  HOOK_SECRET_KIND,
  PRINCIPAL_KINDS,
  SIGNAL_KIND,
} from '../../lib/platform/aws/tables.ts';

/** A command of the AWS SDK with its input, and what its resources are called. */
export interface AwsCall {
  /** `PutCommand`. */
  readonly command: string;
  readonly input: unknown;
  readonly jobsTable: string;
  readonly deliveriesUrl: string;
}

const key = z.object({ kind: z.string().optional() }).optional();
const inputSchema = z.object({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  Key: key,
  Item: key,
  UpdateExpression: z.string().optional(),
  ExpressionAttributeValues: z.record(z.string(), z.unknown()).optional(),
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(key) })).optional(),
  TransactItems: z.array(z.record(z.string(), z.unknown())).optional(),
  QueueUrl: z.string().optional(),
});
const exportsInput = z.object({
  Prefix: z.string().optional(),
  Delete: z.object({ Objects: z.array(z.object({ Key: z.string() })) }).optional(),
});
type Input = z.output<typeof inputSchema>;

/** The fields that authentication writes of any caller's token or session. */
const NOTE_OF_USE = /^SET last_used_at = :\w+(?:, expires_at = :\w+, expires_at_epoch = :\w+)?$/;

const OBJECTS: Readonly<Record<string, string>> = {
  GetObjectCommand: 'output: read',
  HeadObjectCommand: 'output: read',
  HeadBucketCommand: 'output: read',
  ListObjectsV2Command: 'output: read',
  PutObjectCommand: 'output: write',
  DeleteObjectsCommand: 'removal: objects',
  ListObjectVersionsCommand: 'removal: output',
};

/** What `access` of a route has to declare for a call, as `jobs: write`; `undeclarable: …` for what no route may do. */
export function neededAccess(call: AwsCall): string[] {
  const object = OBJECTS[call.command];
  if (object !== undefined) return [isOfExports(call.input) ? 'exports: delete' : object];
  const input = inputSchema.parse(call.input);
  const operation = call.command.replace(/Command$/, '');
  if (operation === 'SendMessage' || operation === 'GetQueueAttributes')
    return [input.QueueUrl === call.deliveriesUrl ? 'deliveries: send' : 'dispatchQueues: send'];
  if (operation === 'TransactWrite')
    return (input.TransactItems ?? []).flatMap((item) =>
      Object.entries(item).flatMap(([name, part]) => neededAccess({ ...call, command: name, input: part })),
    );
  if (operation === 'BatchGet')
    return Object.entries(input.RequestItems ?? {}).flatMap(([TableName, { Keys }]) =>
      Keys.flatMap((Key) => itemAccess('Get', { TableName, Key }, call)),
    );
  return itemAccess(operation, input, call);
}

/** Functions only sign links to exports, or delete them. */
function isOfExports(input: unknown): boolean {
  const { Prefix, Delete } = exportsInput.safeParse(input).data ?? {};
  const keys = Prefix === undefined ? (Delete?.Objects.map(({ Key }) => Key) ?? []) : [Prefix];
  return keys.length > 0 && keys.every((one) => one.startsWith('exports/'));
}

function itemAccess(operation: string, input: Input, { jobsTable }: AwsCall): string[] {
  if (input.TableName === undefined) return [`undeclarable: ${operation}`];
  return input.TableName === jobsTable ? [jobAccess(operation, input)] : registryAccess(operation, input);
}

function jobAccess(operation: string, { IndexName }: Input): string {
  if (operation === 'Query' && IndexName !== undefined) return `jobIndexes: ${IndexName}`;
  if (operation === 'Get') return 'jobs: read';
  if (operation === 'Delete') return 'removal: jobs';
  return operation === 'Put' || operation === 'Update' ? 'jobs: write' : `undeclarable: ${operation} of a job`;
}

/** By a registry item's kind, what only some routes may do with it, as [operation, access]. */
const PRIVATE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [PRINCIPAL_KINDS.token]: { Query: 'tokens: list', Put: 'tokens: create', Update: 'tokens: change' },
  [PRINCIPAL_KINDS.session]: { Query: 'sessions: list', Put: 'sessions: start', Delete: 'sessions: end' },
  [AUDIT_KIND]: { Put: 'audited: true', Query: 'audit: read' },
  [EXPORT_KIND]: { Get: 'exports: read', Query: 'exports: read', Put: 'exports: start', Delete: 'exports: delete' },
  [HOOK_SECRET_KIND]: { Get: 'hookSecrets: read', Put: 'hookSecrets: write', Delete: 'hookSecrets: write' },
  [BINDING_SECRET_KIND]: { Get: 'bindingSecrets: read', Put: 'bindingSecrets: write', Delete: 'bindingSecrets: write' },
};

function registryAccess(operation: string, input: Input): string[] {
  const kind = input.Key?.kind ?? input.Item?.kind ?? String(input.ExpressionAttributeValues?.[':kind']);
  const own = PRIVATE[kind];
  if (own !== undefined) {
    const isPrincipal = kind === PRINCIPAL_KINDS.token || kind === PRINCIPAL_KINDS.session;
    const isUse = operation === 'Update' && NOTE_OF_USE.test(input.UpdateExpression ?? '');
    if (isPrincipal && (operation === 'Get' || isUse)) return [];
    return [own[operation] ?? `undeclarable: ${operation} of ${kind}`];
  }
  if (operation === 'Get' || operation === 'Query') return ['registry: read'];
  if (kind === FOLLOW_SLOT_KIND && operation !== 'Update') return ['followSlots: write'];
  if (kind === SIGNAL_KIND && operation === 'Update') return ['jobs: write'];
  return ['Put', 'Update', 'Delete'].includes(operation) ? ['registry: write'] : [`undeclarable: ${operation}`];
}

/** What a route may do, in the same words; a right to write contains that to read. */
export function declaredAccess({ access, audited = false }: { readonly access: Access; readonly audited?: boolean }) {
  const declared = Object.entries(access).flatMap(([resource, uses]) =>
    [uses].flat().map((use) => `${resource}: ${String(use)}`),
  );
  return [...declared, ...(audited ? ['audited: true'] : [])];
}
