import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AgentName } from '../../lib/contract/agents.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { wasLost } from '../../lib/jobs/lifecycle/resume.ts';
import { noting } from '../../lib/jobs/messages/messages-in-session.ts';
import type { AgentSessionStore, StoredSession } from '../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import type { OutputStore } from '../../lib/jobs/output/output-store.ts';
import { readableReceipt } from '../../lib/jobs/output/readable-receipt.ts';
import type { EarlierTurn } from '../../lib/jobs/threads/conversation.ts';
import type { SessionMeter } from '../../lib/vendors/output/agent-output.ts';
import { movedPath, movedSession } from '../forks/moved-session.ts';
import { SESSION_ID } from './session-id.ts';
import { isOlder, OlderCliError, type SessionOrigin } from './session-origin.ts';

/** A session that is in place for the CLI to continue. */
export interface RestoredSession {
  /** The attempt that saved it; undefined: an attempt of an earlier turn of the thread. */
  readonly attempt: number | undefined;
  /** The job of that attempt. */
  readonly jobId: string;
  /** The attempts of the job that it passed through, oldest first. */
  readonly chain: readonly number[];
  readonly sessionId: string;
  /** How many of its first bytes come from attempts whose usage is recorded. */
  readonly billedBytes: number;
  /** Size of its file. */
  readonly bytes: number;
  /** Has read it. */
  readonly meter: SessionMeter | undefined;
  /** Another vendor account has made it: its vendor may refuse what it holds. */
  readonly isOtherAccount: boolean;
  /** Messages that the session has. */
  readonly messageIds: ReadonlySet<string>;
}

/** An attempt of a job. */
export interface AttemptOfJob {
  readonly jobId: string;
  readonly attempt: number;
}

export interface RestoreRequest {
  readonly jobId: string;
  /** The attempts whose sessions may be continued; the first that saved one is. */
  readonly candidates: readonly AttemptOfJob[];
  readonly sessions: AgentSessionStore;
  /** Whether an attempt's outcome, and so its usage, is recorded. */
  readonly isRecorded: (attempt: AttemptOfJob) => Promise<boolean>;
  /** How many bytes of a lost attempt's session are counted. */
  readonly lostBytes: (attempt: AttemptOfJob) => number;
  /** Reads from the session what was used before. */
  readonly meter: SessionMeter | undefined;
  /** What a session must have been made with. */
  readonly agent: AgentName;
  readonly vendor: string;
  readonly origin: SessionOrigin;
  /** Whether the job waits for another worker if this one's CLI is too old for the session. */
  readonly waitsForNewerCli: boolean;
  readonly cwd: string;
  /** Folders whose copy the working folder is: a session that was made there fits too. */
  readonly copiedFrom: readonly string[];
  /** The only worker whose sessions fit, because it alone has the working folder; undefined: every worker's fit. */
  readonly onlyWorker: string | undefined;
  /** The folder with the CLI's sessions. No other user can reach it yet. */
  readonly folder: string;
}

/** Below the folder of the sessions, without a way out of it. */
const PATH = /^(?!.*\.\.)[\w.-]+(\/[\w.-]+)*$/;

/**
 * Puts the session to continue in place.
 * @returns undefined: there is none to continue; a text: why the session that was saved is not continued
 * @throws OlderCliError
 */
export async function restoreSession(request: RestoreRequest): Promise<RestoredSession | string | undefined> {
  const { agent, vendor, origin, cwd, copiedFrom, onlyWorker, folder } = request;
  const found = await findSession(request);
  if (found === undefined) return undefined;
  const { record } = found.session;
  if (record.agent !== agent) return `it belongs to the agent ${record.agent}`;
  if (record.vendor !== vendor) return 'it belongs to another vendor';
  const isCopied = copiedFrom.includes(record.cwd);
  if (record.cwd !== cwd && !isCopied) return 'its working folder was another one';
  if (onlyWorker !== undefined && record.worker_id !== onlyWorker) return 'its working folder is on another worker';
  if (isOlder(origin.cli_version, record.cli_version)) {
    const older = new OlderCliError(record, origin);
    if (request.waitsForNewerCli) throw older;
    return older.message;
  }
  if (!SESSION_ID.test(record.session_id) || !PATH.test(record.path)) return 'its record is not sound';
  const move = { from: record.cwd, to: cwd };
  const path = join(folder, isCopied ? movedPath(record.path, move) : record.path);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // The usage of a job that was forked is never counted with the fork's.
  const isRecorded = isCopied || (await request.isRecorded(found));
  // What a lost attempt used since it was counted is counted with this one's.
  const counted = Math.max(record.billed_bytes, request.lostBytes(found));
  const billed = isRecorded ? Number.POSITIVE_INFINITY : counted;
  const { meter } = request;
  const messageIds = new Set<string>();
  const content = isCopied ? movedSession(found.session.read(), move) : found.session.read();
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  await pipeline(Readable.from(noting(measured(content, billed, meter), messageIds)), file);
  const isOwn = found.jobId === request.jobId;
  const { resumed_from: before, chain = before === undefined ? [] : [before] } = record;
  return {
    attempt: isOwn ? found.attempt : undefined,
    jobId: found.jobId,
    chain: isOwn ? [...chain, found.attempt] : [],
    sessionId: record.session_id,
    isOtherAccount: record.account !== undefined && origin.account !== undefined && record.account !== origin.account,
    messageIds,
    billedBytes: Math.min(billed, file.bytesWritten),
    bytes: file.bytesWritten,
    meter,
  };
}

/** Passes a session on, and has the meter read it. @param billed how many of its first bytes are recorded */
async function* measured(
  session: AsyncIterable<Buffer>,
  billed: number,
  meter: SessionMeter | undefined,
): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of session) {
    const end = Math.max(0, billed - at);
    meter?.push(chunk.subarray(0, end), 'billed');
    meter?.push(chunk.subarray(end), 'unbilled');
    at += chunk.length;
    yield chunk;
  }
}

/** The first of the candidates that saved a session. */
export async function findSession({
  candidates,
  sessions,
}: Pick<RestoreRequest, 'candidates' | 'sessions'>): Promise<
  (AttemptOfJob & { readonly session: StoredSession }) | undefined
> {
  for (const { jobId, attempt } of candidates) {
    const session = await sessions.find(jobId, attempt);
    if (session !== undefined) return { jobId, attempt, session };
  }
  return undefined;
}

/** The interrupted attempt of a job, then those of its chain, newest first. */
export function chainOf(job: Pick<Job, 'id' | 'resume_from' | 'resume_oldest'>): AttemptOfJob[] {
  const { resume_from: newest = 0, resume_oldest: oldest = newest } = job;
  return attemptsOf({ id: job.id, attempt: newest }, Math.max(oldest, 1));
}

/** The attempts of the turns before a job, newest first. */
export function attemptsBefore(earlier: readonly EarlierTurn[]): AttemptOfJob[] {
  return earlier.toReversed().flatMap(({ job, attempt }) => attemptsOf({ id: job.id, attempt }, 1));
}

function attemptsOf({ id, attempt }: Pick<Job, 'id' | 'attempt'>, oldest: number): AttemptOfJob[] {
  return Array.from({ length: Math.max(0, attempt - oldest + 1) }, (_, back) => ({
    jobId: id,
    attempt: attempt - back,
  }));
}

/**
 * Whether the usage in an attempt's session is recorded: with that attempt, or with a later one that continued it and
 * saved no session. A lost attempt records nothing, whatever receipt it leaves, and one without usage leaves it to the
 * next.
 * @param job the one that continues the session
 */
export async function isUsageRecorded(
  output: Pick<OutputStore, 'readReceipt'>,
  { job, earlier }: { readonly job: Job; readonly earlier: readonly EarlierTurn[] },
  { jobId, attempt }: AttemptOfJob,
): Promise<boolean> {
  const other = earlier.find((turn) => turn.job.id === jobId)?.job;
  // An attempt of this job has recorded what the turn before did not.
  if (other !== undefined && job.usage !== undefined) return true;
  const newest = other?.attempt ?? job.attempt - 1;
  for (let by = attempt; by <= newest; by += 1) {
    if (wasLost(other ?? job, by)) continue;
    const { receipt, state } = await readableReceipt(output, jobId, by);
    if (by === attempt && state === 'corrupt') return true;
    if (receipt?.usage !== undefined && (by === attempt || receipt.resumed_from === attempt)) return true;
  }
  return false;
}
