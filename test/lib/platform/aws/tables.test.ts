import { expect, it } from 'vitest';
import {
  BANDS,
  DELIVERIES,
  FORMER_INDEXES,
  type IndexSpec,
  PRIVATE_KINDS,
  QUEUE,
  TABLES,
  WRITTEN_KINDS,
} from '../../../../lib/platform/aws/tables.ts';

// Deployed tables have these names, and their items these attributes: another name would lose what is stored.

const shapeOf = ({ name, partitionKey, sortKey }: IndexSpec) => `${name}: ${partitionKey}, ${sortKey}`;
const LISTED =
  'project_id project profile agent model model_used cwd created_by labels thread_id title tags needs cost';

it('the tables and their indexes have the keys of those that are deployed', () => {
  const { jobs, registry } = TABLES;
  expect([jobs.partitionKey, registry.partitionKey, registry.sortKey]).toEqual(['id', 'kind', 'id']);
  expect([...jobs.indexes, ...FORMER_INDEXES].map(shapeOf)).toEqual([
    'by-time-2: list_key, created_at',
    'by-status-2: status_key, created_at',
    'ready: ready_key, ready_order',
    'by-time: list_key, created_at',
    'by-status: status_key, created_at',
  ]);
  expect([registry.ttlAttribute, jobs.stream, registry.stream]).toEqual(['expires_at_epoch', true, false]);
});

it('the indexes carry what their deployed ones carry, which nothing can change later', () => {
  const carried = (index: IndexSpec) => (index.attributes === 'all' ? 'all' : index.attributes.join(' '));
  expect(TABLES.jobs.indexes.map(carried)).toEqual([
    LISTED,
    `${LISTED} priority reason due_at queued_at finished_at`,
    'all',
  ]);
  const former =
    'status project_id project profile model priority cwd prompt_preview attempt reason due_at queued_at started_at ' +
    'finished_at cancel_requested_at parent_id';
  expect(FORMER_INDEXES.map(carried)).toEqual([former, former]);
});

it('each process may write its own kinds of items, and only functions in charge those that give rights', () => {
  const ofJobs = ['deployments#*', 'forks#*', 'hold', 'labels#*', 'message#*', 'probe', 'project', 'questions#*'];
  const all = [...ofJobs, 'texts#*', 'thread#*', 'tree#*'];
  expect([...WRITTEN_KINDS.worker].toSorted()).toEqual([...all, 'account', 'lock', 'worker'].toSorted());
  expect([...WRITTEN_KINDS.reconciler].toSorted()).toEqual([...all, 'account'].toSorted());
  expect([...WRITTEN_KINDS.sweeper].toSorted()).toEqual(all.filter((kind) => kind.endsWith('#*')));
  expect(PRIVATE_KINDS).toEqual(['token', 'session', 'audit', 'binding-secret']);
});

it('messages are hidden, kept and given up as their receivers expect', () => {
  expect(BANDS).toEqual(['high', 'normal', 'low']);
  const kept = { receiveWait: 20, messageRetention: 1_209_600 };
  expect(QUEUE).toEqual({ ...kept, visibilityTimeout: 40, maxReceiveCount: 100 });
  expect(DELIVERIES).toEqual({ ...kept, visibilityTimeout: 180, maxReceiveCount: 50 });
});
