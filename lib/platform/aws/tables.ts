/**
 * Tables, indexes and queues as plain data. The CDK and the local run both create their resources from it, so that each
 * key and queue name is defined once.
 */

/**
 * What lists filter by, also later: an index's projection can't be changed. A page reads the jobs it shows. Claims and
 * ends of shell jobs change none of these attributes, so they don't write the index by time.
 */
const LISTED_ATTRIBUTES = [
  'project_id',
  'project',
  'profile',
  'agent',
  'model',
  'model_used',
  'cwd',
  'created_by',
  'labels',
  'thread_id',
  'template',
  'automation',
  'tags',
  'needs',
] as const;

/**
 * What is also read of all jobs in a state: by the reconciler, and when jobs are removed. DynamoDB projects at most 20
 * attributes into an index.
 */
const STATE_ATTRIBUTES = [
  ...LISTED_ATTRIBUTES,
  'priority',
  'reason',
  'due_at',
  'queued_at',
  'finished_at',
  'ready_key',
] as const;

export interface IndexSpec {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  /** The projection besides the keys: the named attributes, or the whole item. */
  readonly attributes: readonly string[] | 'all';
}

export interface TableSpec {
  readonly id: string;
  readonly partitionKey: string;
  readonly sortKey?: string;
  readonly indexes: readonly IndexSpec[];
  /** Whether changes are streamed with the old and the new image. */
  readonly stream: boolean;
  /** The TTL attribute (seconds since 1970). */
  readonly ttlAttribute?: string;
}

/** All keys are strings. */
export const TABLES = {
  jobs: {
    id: 'Jobs',
    partitionKey: 'id',
    indexes: [
      { name: 'by-time', partitionKey: 'list_key', sortKey: 'created_at', attributes: LISTED_ATTRIBUTES },
      { name: 'by-status', partitionKey: 'status_key', sortKey: 'created_at', attributes: STATE_ATTRIBUTES },
      // Whole items, so that a claim needs no further read; the index holds only waiting jobs, which seldom change.
      { name: 'ready', partitionKey: 'ready_key', sortKey: 'ready_order', attributes: 'all' },
    ],
    stream: true,
    ttlAttribute: 'expires_at_epoch',
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

/** The registry's item kinds that authenticate callers: write access to them amounts to administrator rights. */
export const PRINCIPAL_KINDS = { token: 'token', session: 'session' } as const;

/** The registry's item kind with the signing secrets of deploy bindings. */
export const BINDING_SECRET_KIND = 'binding-secret';

/** The registry's item kind with the secrets of hooks. */
export const HOOK_SECRET_KIND = 'hook-secret';

/** The registry's item kind of audit records. */
export const AUDIT_KIND = 'audit';

/** The registry's item kind of exports. */
export const EXPORT_KIND = 'export';

/** The registry's item kind of vendor accounts that jobs wait for. */
export const ACCOUNT_WAIT_KIND = 'account-wait';

/** The registry's item kind of launched workers and launch failures. */
export const SCALING_KIND = 'scaling';

/** The registry's item kinds of the feed of events: that of its head, and the prefix of those of its packets. */
export const EVENT_KINDS = { head: 'event-feed', packets: 'events#' } as const;

/**
 * The registry's item kinds of subscriptions: themselves, their health, and the prefixes of those of their deliveries and
 * of the messages that can be answered or changed.
 */
export const SUBSCRIPTION_KINDS = {
  own: 'subscription',
  health: 'subscription-health',
  deliveries: 'subscription-deliveries#',
  messages: 'sent-messages#',
} as const;
/** The registry's item kind of the signals that reach running workers. */
export const SIGNAL_KIND = 'signal';

/** The registry's item kind that limits how many functions stream a followed log. */
export const FOLLOW_SLOT_KIND = 'follow-slot';

/**
 * Kinds that only the functions in charge of them may access. Access elsewhere would let a caller become an
 * administrator, act without an audit record, sign calls in the deployment's name, or get an export of what it may not
 * read.
 */
export const PRIVATE_KINDS = [
  ...Object.values(PRINCIPAL_KINDS),
  AUDIT_KIND,
  BINDING_SECRET_KIND,
  HOOK_SECRET_KIND,
  EXPORT_KIND,
] as const;

/** Patterns of the registry's item kinds that creating, running and ending jobs writes. */
const JOB_KINDS = [
  'project',
  'texts#*',
  'labels#*',
  'message#*',
  'questions#*',
  'probe',
  'hold',
  'thread#*',
  'forks#*',
  'tree#*',
  'deployments#*',
] as const;

/** Patterns of the registry's item kinds that processes put and delete which are no API functions. */
export const WRITTEN_KINDS = {
  worker: [...JOB_KINDS, 'worker', 'lock', 'account'],
  reconciler: [...JOB_KINDS, 'account', 'automation', 'automation-due', 'automation-runs#*', 'automation-deliveries#*'],
  sweeper: ['texts#*', 'labels#*', 'message#*', 'questions#*', 'deployments#*', 'thread#*', 'forks#*', 'tree#*'],
} as const;

export type TableName = keyof typeof TABLES;

/** The three queues, highest first. */
export const BANDS = ['high', 'normal', 'low'] as const;
export type Band = (typeof BANDS)[number];

export interface QueueSpec {
  readonly visibilityTimeout: number;
  readonly receiveWait: number;
  readonly messageRetention: number;
  /** A message received more often moves to the dead-letter queue. */
  readonly maxReceiveCount: number;
}

/** Seconds. A dispatch message stays in flight while its job runs; each heartbeat extends it by `visibilityTimeout`. */
export const QUEUE = {
  visibilityTimeout: 40,
  receiveWait: 20,
  messageRetention: 14 * 24 * 3600,
  /** Releases raise the receive count, so this is generous; reconcile-jobs resends what still reaches the DLQ. */
  maxReceiveCount: 100,
} as const satisfies QueueSpec;

/**
 * The queue of signed calls; seconds. A message is hidden for longer than the calling function may run, and for up to
 * 12 hours before each retry; every retry counts as a receive.
 */
export const DELIVERIES = {
  visibilityTimeout: 180,
  receiveWait: 20,
  messageRetention: 14 * 24 * 3600,
  maxReceiveCount: 50,
} as const satisfies QueueSpec;
