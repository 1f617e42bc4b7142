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

/** Kinds of the registry's items that say who may call: whoever writes one can make himself an administrator. */
export const PRINCIPAL_KINDS = { token: 'token', session: 'session' } as const;

/** The kind of the registry's items by which calls are signed. */
export const BINDING_SECRET_KIND = 'binding-secret';

/** The kind of the registry's items that say who did what. */
export const AUDIT_KIND = 'audit';

/** The kind of the registry's items that say which workers were launched, and what kept others from it. */
export const SCALING_KIND = 'scaling';

/** The kind of the registry's items that limit how many functions stream a followed log. */
export const FOLLOW_SLOT_KIND = 'follow-slot';

/**
 * Kinds that only those may touch whose matter they are: whoever else could would make himself an administrator, leave no
 * trace of what he did, or sign in our name.
 */
export const PRIVATE_KINDS = [...Object.values(PRINCIPAL_KINDS), AUDIT_KIND, BINDING_SECRET_KIND] as const;

export type TableName = keyof typeof TABLES;

/** The three queues, highest first. */
export const BANDS = ['high', 'normal', 'low'] as const;
export type Band = (typeof BANDS)[number];

export interface QueueSpec {
  readonly visibilityTimeout: number;
  readonly receiveWait: number;
  readonly messageRetention: number;
  /** What was received more often goes to a queue of its own. */
  readonly maxReceiveCount: number;
}

/** Seconds. A permit stays in flight while its job runs; each heartbeat extends it by `visibilityTimeout`. */
export const QUEUE = {
  visibilityTimeout: 40,
  receiveWait: 20,
  messageRetention: 14 * 24 * 3600,
  /** Give-backs raise the receive count, so this is generous; what still lands in a DLQ is put back by reconcile-jobs. */
  maxReceiveCount: 100,
} as const satisfies QueueSpec;

/**
 * The queue of signed calls; seconds. A message is hidden for longer than a function that makes a call may live, and for
 * up to 12 hours while its call waits for its next try, which each count as a receive.
 */
export const DELIVERIES = {
  visibilityTimeout: 180,
  receiveWait: 20,
  messageRetention: 14 * 24 * 3600,
  maxReceiveCount: 50,
} as const satisfies QueueSpec;
