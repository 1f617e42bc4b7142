import * as z from 'zod';
import { AGENTS } from '../../../contract/agents.ts';
import { knownOrLater } from '../../../contract/later-code.ts';

/** What is stored about a session beside its parts. Members that a later version adds are ignored. */
export const sessionRecordSchema = z.looseObject({
  version: z.literal(1),
  agent: knownOrLater(AGENTS),
  /** The profile's vendor: no other vendor gets the session. */
  vendor: z.string(),
  /** The version of the CLI that made it; absent: not known. */
  cli_version: z.string().optional(),
  /** A hash of the vendor account, or of the API key, that made it; absent: neither is known. */
  account: z.string().optional(),
  /** The CLI's id of the session. */
  session_id: z.string(),
  /** The file's path below the folder with the CLI's sessions. */
  path: z.string(),
  /** The working folder that the session names. */
  cwd: z.string(),
  /** The worker, or the local run, whose folders outside the workspaces the session knows. */
  worker_id: z.string(),
  /** How many of its first bytes come from attempts whose usage is recorded. */
  billed_bytes: z.number(),
  /** The attempt whose session this one continued; absent: it began with a prompt. */
  resumed_from: z.number().optional(),
  /** All attempts of the job that the session passed through before, oldest first. */
  chain: z.array(z.number()).optional(),
});
export type SessionRecord = z.output<typeof sessionRecordSchema>;

/** Largest session that is saved, bytes. */
export const SESSION_BYTES = 64 * 1024 * 1024;

/** Most bytes that an attempt saves of its session, over all files that took the place of one before. */
export const REPLACED_SESSION_BYTES: number = 4 * SESSION_BYTES;
