import { describe, expect, it } from 'vitest';
import { undeclaredAccess } from './access-differences.ts';
import { declaredAccess, neededAccess } from './needed-access.ts';

const needed = (command: string, input: object) =>
  neededAccess({ command, input, jobsTable: 'Jobs', deliveriesUrl: 'http://queues/deliveries' });
const inRegistry = (command: string, kind: string, more: object = {}) =>
  needed(command, {
    TableName: 'Registry',
    ...(command === 'PutCommand' ? { Item: { kind } } : { Key: { kind } }),
    ...more,
  });

describe('a call needs', () => {
  it('reading or writing jobs, or one of their indexes', () => {
    expect(needed('GetCommand', { TableName: 'Jobs' })).toEqual(['jobs: read']);
    expect(needed('UpdateCommand', { TableName: 'Jobs' })).toEqual(['jobs: write']);
    expect(needed('QueryCommand', { TableName: 'Jobs', IndexName: 'ready' })).toEqual(['jobIndexes: ready']);
    expect(needed('DeleteCommand', { TableName: 'Jobs' })).toEqual(['removal: jobs']);
  });

  it('what each part of a transaction or batch needs', () => {
    const TransactItems = [
      { Put: { TableName: 'Jobs' } },
      { Update: { TableName: 'Registry', Key: { kind: 'probe' } } },
    ];
    expect(needed('TransactWriteCommand', { TransactItems })).toEqual(['jobs: write', 'registry: write']);
    const RequestItems = { Jobs: { Keys: [{}] }, Registry: { Keys: [{ kind: 'project' }] } };
    expect(needed('BatchGetCommand', { RequestItems })).toEqual(['jobs: read', 'registry: read']);
  });

  it('the right to a private kind, and nothing for what authentication notes of every caller', () => {
    expect(inRegistry('PutCommand', 'audit')).toEqual(['audited: true']);
    expect(inRegistry('GetCommand', 'binding-secret')).toEqual(['bindingSecrets: read']);
    expect(inRegistry('QueryCommand', 'binding-secret')).toEqual(['undeclarable: Query of binding-secret']);
    expect(inRegistry('GetCommand', 'token')).toEqual([]);
    expect(inRegistry('UpdateCommand', 'token', { UpdateExpression: 'SET last_used_at = :now' })).toEqual([]);
    expect(inRegistry('UpdateCommand', 'token', { UpdateExpression: 'SET #state = :state' })).toEqual([
      'tokens: change',
    ]);
    expect(inRegistry('DeleteCommand', 'session')).toEqual(['sessions: end']);
  });

  it('objects and queues', () => {
    expect(needed('HeadObjectCommand', { Key: 'jobs/a' })).toEqual(['output: read']);
    expect(needed('PutObjectCommand', { Key: 'jobs/a' })).toEqual(['output: write']);
    expect(needed('SendMessageCommand', { QueueUrl: 'http://queues/high' })).toEqual(['dispatchQueues: send']);
    expect(needed('SendMessageCommand', { QueueUrl: 'http://queues/deliveries' })).toEqual(['deliveries: send']);
  });
});

describe('compared with the routing table', () => {
  it('access that a route does not declare is found; the right to write contains that to read', () => {
    const lines = [
      'jobs.list jobs: read',
      'jobs.list jobs: write',
      'jobs.create registry: read',
      'not-found.answer jobs: read',
    ];
    expect(undeclaredAccess(lines)).toEqual(['jobs.list jobs: write', 'not-found.answer jobs: read']);
  });

  it('each use of a resource is a line', () => {
    expect(declaredAccess({ access: { sessions: ['start', 'end'], jobs: 'read' }, audited: true })).toEqual([
      'sessions: start',
      'sessions: end',
      'jobs: read',
      'audited: true',
    ]);
  });
});
