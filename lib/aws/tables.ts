/**
 * Tables, indexes and queues as plain data. The CDK declares its resources from it and the local run creates its own
 * from it, so that no key or queue name stands in two places.
 */

/** What a summary of the list shows; projected into the list's indexes so that a page is one Query. */
const SUMMARY_ATTRIBUTES = [
  'status',
  'project_id',
  'project',
  'profile',
  'model',
  'priority',
  'cwd',
  'prompt_preview',
  'attempt',
  'reason',
  'due_at',
  'queued_at',
  'started_at',
  'finished_at',
  'cancel_requested_at',
  'parent_id',
] as const;

export interface IndexSpec {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  /** What the index carries beside the keys: the named attributes, or the whole item. */
  readonly attributes: readonly string[] | 'all';
}

export interface TableSpec {
  readonly id: string;
  readonly partitionKey: string;
  readonly sortKey?: string;
  readonly indexes: readonly IndexSpec[];
  /** Whether changes are streamed with the old and the new item. */
  readonly stream: boolean;
  /** The attribute (seconds since 1970) after which an item may be removed. */
  readonly ttlAttribute?: string;
}

/** All keys are strings. */
export const TABLES = {
  jobs: {
    id: 'Jobs',
    partitionKey: 'id',
    indexes: [
      { name: 'by-time', partitionKey: 'list_key', sortKey: 'created_at', attributes: SUMMARY_ATTRIBUTES },
      { name: 'by-status', partitionKey: 'status_key', sortKey: 'created_at', attributes: SUMMARY_ATTRIBUTES },
      // Whole items, so that a claim needs no read of its own; it holds waiting jobs only, and those seldom change.
      { name: 'ready', partitionKey: 'ready_key', sortKey: 'ready_order', attributes: 'all' },
    ],
    stream: true,
  },
  registry: {
    id: 'Registry',
    partitionKey: 'kind',
    sortKey: 'id',
    indexes: [],
    stream: false,
    ttlAttribute: 'expires_at_epoch',
  },
} as const satisfies Record<string, TableSpec>;

export type TableName = keyof typeof TABLES;

/** The three queues, highest first. */
export const BANDS = ['high', 'normal', 'low'] as const;
export type Band = (typeof BANDS)[number];

/** Seconds. A permit stays in flight while its job runs; each heartbeat extends it by `visibilityTimeout`. */
export const QUEUE = {
  visibilityTimeout: 40,
  receiveWait: 20,
  messageRetention: 14 * 24 * 3600,
  /** Give-backs raise the receive count, so this is generous; what still lands in a DLQ is put back by watch-jobs. */
  maxReceiveCount: 100,
} as const;
