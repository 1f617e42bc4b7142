import { expect, it } from 'vitest';
import { type IndexSpec, PRIVATE_KINDS, TABLES, WRITTEN_KINDS } from '../../../../lib/platform/aws/tables.ts';

// Deployed tables have these names, and their items these attributes: another name would lose what is stored.

const shapeOf = ({ name, partitionKey, sortKey }: IndexSpec) => `${name}: ${partitionKey}, ${sortKey}`;

it('the tables and their indexes have the keys of those that are deployed', () => {
  const { jobs, registry } = TABLES;
  expect([jobs.partitionKey, registry.partitionKey, registry.sortKey]).toEqual(['id', 'kind', 'id']);
  expect(jobs.indexes.map(shapeOf)).toEqual([
    'by-time: list_key, created_at',
    'by-status: status_key, created_at',
    'ready: ready_key, ready_order',
  ]);
  expect([registry.ttlAttribute, jobs.stream, registry.stream]).toEqual(['expires_at_epoch', true, false]);
});

it('each process may write its own kinds of items, and only functions in charge those that give rights', () => {
  const ofJobs = ['deployments#*', 'forks#*', 'hold', 'labels#*', 'message#*', 'probe', 'project', 'questions#*'];
  const all = [...ofJobs, 'texts#*', 'thread#*', 'tree#*'];
  expect([...WRITTEN_KINDS.worker].toSorted()).toEqual([...all, 'account', 'lock', 'worker'].toSorted());
  const ofAutomations = ['automation', 'automation-due', 'automation-runs#*', 'automation-deliveries#*'];
  expect([...WRITTEN_KINDS.reconciler].toSorted()).toEqual([...all, ...ofAutomations, 'account'].toSorted());
  expect([...WRITTEN_KINDS.sweeper].toSorted()).toEqual(all.filter((kind) => kind.endsWith('#*')));
  expect(PRIVATE_KINDS).toEqual(['token', 'session', 'audit', 'binding-secret', 'hook-secret', 'export']);
});
