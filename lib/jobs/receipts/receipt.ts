import * as z from 'zod';
import { AGENTS } from '../../contract/agents.ts';
import { DRIVES } from '../../contract/drives.ts';
import { knownOrLater } from '../../contract/later-code.ts';
import { REASON_CODES } from '../../contract/schemas/jobs/job-state.ts';
import { SANDBOXES } from '../../contract/schemas/profile.ts';
import { usageSchema } from '../../contract/usage.ts';
import { changesSchema } from './changes.ts';
import { followUpBlocksSchema } from './follow-up-blocks.ts';

/** What an attempt without a receipt used, as far as its saved session shows. */
export const lostUsageSchema = usageSchema.extend({
  /** Size of the session that was read. */
  session_bytes: z.number(),
});
export type LostUsage = z.output<typeof lostUsageSchema>;

/** The record of one persisted stream of an attempt. */
const streamManifestSchema = z.object({
  /** Bytes as persisted (secrets masked). */
  bytes: z.number(),
  lines: z.number(),
  /** Hex. */
  sha256: z.string(),
  /** Whether everything that the process wrote was persisted. */
  complete: z.boolean(),
});
export type StreamManifest = z.output<typeof streamManifestSchema>;

export const STREAMS = ['stdout', 'stderr'] as const;
export type StreamName = (typeof STREAMS)[number];

/** Whole answers that an attempt stores as documents, because they are too large to stream through Lambda. */
export const DOCUMENTS = ['result', 'logs-stdout', 'logs-stderr'] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

/** The possible outcomes of an attempt. */
export const OUTCOME_KINDS = ['succeeded', 'failed', 'cancelled', 'parked', 'handed_back', 'asked'] as const;

/** How an attempt ended, as observed by its worker. */
const outcomeSchema = z.looseObject({
  kind: knownOrLater(OUTCOME_KINDS),
  /** A code of `state_reason`. */
  reason: knownOrLater(REASON_CODES),
  /** Sentence for `error`; only of failures. */
  error: z.string().optional(),
  exit_code: z.number().nullable(),
  signal: z.string().nullable(),
  /** Another attempt can't help: it uses no retry; only of `failed`. */
  final: z.boolean().optional(),
  /** When a vendor's limit ends, RFC 3339; only of `parked`. */
  until: z.string().optional(),
  /** The CLI or the vendor refused to continue the session; only of `handed_back`. */
  session_refused: z.boolean().optional(),
  /** A newer CLI than the worker's made the session to continue; only of `handed_back`. */
  older_cli: z.boolean().optional(),
});
export type Outcome = z.output<typeof outcomeSchema>;

/** The version of receipts that are written, and the newest that is read. */
export const RECEIPT_VERSION = 1;

/**
 * The record of an attempt's outcome, put into S3 before the outcome is reported, so that the outcome survives a crash.
 * Members that a later version adds survive a correction.
 */
export const receiptSchema = z.looseObject({
  version: z.literal(RECEIPT_VERSION),
  job_id: z.string(),
  attempt: z.number(),
  worker_id: z.string(),
  /** The agent that wrote the output; absent if none ran. */
  agent: knownOrLater(AGENTS).optional(),
  /** How the agent's CLI was run; absent if none was. */
  drive: knownOrLater(DRIVES).optional(),
  /** The sandbox that the profile set, and the names of its secrets; absent if no agent ran. */
  granted: z.object({ sandbox: knownOrLater(SANDBOXES), secrets: z.array(z.string()) }).optional(),
  started_at: z.string(),
  finished_at: z.string(),
  outcome: outcomeSchema,
  /** The model that the agent reported, else the one it was started with; absent if neither is known. */
  model: z.string().optional(),
  session_id: z.string().optional(),
  usage: usageSchema.optional(),
  /** `session`: the agent's session has the usage, which its output has not or has for earlier attempts too. */
  usage_from: knownOrLater(['session']).optional(),
  /** The attempt whose session this one continued. */
  resumed_from: z.number().optional(),
  /** The attempts that this session passed through before, oldest first: what they requested counts too. */
  chain: z.array(z.number()).optional(),
  /** Ids of the messages that the agent's session has got during this attempt. */
  messages: z.array(z.string()).optional(),
  final_message: z.string().optional(),
  composed_prompt: z.string(),
  /** Absent if the agent requested none. */
  follow_ups: followUpBlocksSchema.optional(),
  /** The stored attachments; absent if the attempt left none. */
  attachments: z.object({ count: z.number(), bytes: z.number() }).optional(),
  /** Absent if the attempt did not work in a repository. */
  changes: changesSchema.optional(),
  /** What could not be stored or reported, and why. */
  warnings: z.array(z.string()).optional(),
  streams: z.object({ stdout: streamManifestSchema, stderr: streamManifestSchema }),
  documents: z.array(knownOrLater(DOCUMENTS)),
});
export type Receipt = z.output<typeof receiptSchema>;
