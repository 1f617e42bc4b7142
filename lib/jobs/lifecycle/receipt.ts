import * as z from 'zod';
import { knownOrLater } from '../../contract/later-code.ts';
import { REASON_CODES } from '../../contract/schemas/job.ts';
import { AGENTS } from '../../contract/schemas/profile.ts';
import { changesSchema } from './changes.ts';
import { followUpBlocksSchema } from './follow-up-blocks.ts';

/** Tokens (and money, where the CLI says it) that an attempt used. */
export const usageSchema = z.object({
  input_tokens: z.number(),
  cached_input_tokens: z.number(),
  output_tokens: z.number(),
  reasoning_output_tokens: z.number(),
  cost_usd: z.number().optional(),
});
export type Usage = z.output<typeof usageSchema>;

/** What is persisted of one stream of one attempt. */
const streamManifestSchema = z.object({
  /** Bytes as persisted (secrets masked). */
  bytes: z.number(),
  lines: z.number(),
  /** Hex. */
  sha256: z.string(),
  /** Whether everything the process wrote is there. */
  complete: z.boolean(),
});
export type StreamManifest = z.output<typeof streamManifestSchema>;

export const STREAMS = ['stdout', 'stderr'] as const;
export type StreamName = (typeof STREAMS)[number];

/** The answers that an attempt can leave behind as whole documents, because they are too large to stream through Lambda. */
export const DOCUMENTS = ['result', 'logs-stdout', 'logs-stderr'] as const;
export type DocumentName = (typeof DOCUMENTS)[number];

/** What an attempt can come to. */
export const OUTCOME_KINDS = ['succeeded', 'failed', 'cancelled', 'parked', 'handed_back'] as const;

/** How an attempt ended, as its worker saw it. */
const outcomeSchema = z.looseObject({
  kind: knownOrLater(OUTCOME_KINDS),
  /** A code of `state_reason`. */
  reason: knownOrLater(REASON_CODES),
  /** Sentence for `error`; only of failures. */
  error: z.string().optional(),
  exit_code: z.number().nullable(),
  signal: z.string().nullable(),
  /** When a vendor's limit ends, RFC 3339; only of `parked`. */
  until: z.string().optional(),
});
export type Outcome = z.output<typeof outcomeSchema>;

/** The version of receipts that are written, and the newest that is read. */
export const RECEIPT_VERSION = 1;

/**
 * The record of an attempt's outcome: put into S3 before the outcome is reported, so that nobody has to guess. Members
 * that a later version adds survive when a receipt is mended.
 */
export const receiptSchema = z.looseObject({
  version: z.literal(RECEIPT_VERSION),
  job_id: z.string(),
  attempt: z.number(),
  worker_id: z.string(),
  /** Whose output it is; absent where the agent never came to run. */
  agent: knownOrLater(AGENTS).optional(),
  started_at: z.string(),
  finished_at: z.string(),
  outcome: outcomeSchema,
  /** What it said that it used, else what it was told to; absent: neither is known. */
  model: z.string().optional(),
  session_id: z.string().optional(),
  usage: usageSchema.optional(),
  final_message: z.string().optional(),
  composed_prompt: z.string(),
  /** Absent: the agent asked for none. */
  follow_ups: followUpBlocksSchema.optional(),
  /** What was kept of the files that it left; absent: it left none. */
  attachments: z.object({ count: z.number(), bytes: z.number() }).optional(),
  /** Absent: it did not work in a repository. */
  changes: changesSchema.optional(),
  /** What of it could not be kept or reported, and why. */
  warnings: z.array(z.string()).optional(),
  streams: z.object({ stdout: streamManifestSchema, stderr: streamManifestSchema }),
  documents: z.array(knownOrLater(DOCUMENTS)),
});
export type Receipt = z.output<typeof receiptSchema>;
