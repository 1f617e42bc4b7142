import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Profile, profileKey, profileOf } from '../../catalog/profiles.ts';
import { batchGet } from '../../platform/aws/batch-get.ts';
import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import { type Clock, timestamp } from '../../platform/aws/table-clock.ts';
import type { OneAtATime } from '../../platform/one-at-a-time.ts';
import type { Registry } from '../../platform/registry.ts';
import { readParameterValues } from '../../projects/parameters.ts';
import { projectKey, readDiagramCount } from '../../projects/project-item.ts';
import { type ProjectSettings, readSettingsItem } from '../../projects/project-settings.ts';
import type { ReceivedMessage } from '../dispatch/dispatch-queues.ts';
import { isReady, secondsUntilDue, transition } from '../dispatch/transition.ts';
import { readyKey } from '../indexes/ready-keys.ts';
import type { Job } from '../lifecycle/job.ts';
import { isUnderstood } from '../lifecycle/understood.ts';
import { type JobTextStore, type JobTexts, textsInItem, textsKey } from '../store/job-texts.ts';
import { knownJobs } from '../store/read-job.ts';
import { claimSystemJob } from './claim-system-job.ts';
import { type GateContext, gatesOfClaim, takePlaces, wakeAll } from './gates.ts';
import { enterThread, type ThreadSlotContext } from './thread-slot.ts';

/*
 * How a message becomes a running attempt.
 *
 * A dispatch message says only that a job of some band and project may be ready. Messages may be lost, repeated, late,
 * or overtake the write that they announce. So a message is a reason to look, and the table decides:
 *
 * 1. `findWork` reads the best few ready jobs of the message's band and project from the ready index, and claims the
 *    first that it can get. The index is eventually consistent. If it offers nothing, the message's own job is read
 *    consistently and claimed.
 * 2. If there is no work, a message that is received for the first time may have overtaken its job: it is checked
 *    again after three short pauses. Then it returns to its queue, and is dropped after some deliveries.
 * 3. `claimOne` claims exactly one version of one job. Its checks run in this order:
 *    - Thread: one turn runs at a time, and each waits for the one before. No: the job is parked in its thread, and
 *      whatever ends the awaited turn wakes it.
 *    - Gates with room (`gates.ts`): a profile may limit how many of its jobs run at once, and a folder runs one attempt
 *      at a time if the project says so or other jobs share it. No: the job is parked there, and the attempt that makes
 *      room wakes the best of those that wait.
 *    - The conditional write of the job. No: it has changed; the next best job is tried.
 *
 * A slot (`slots.ts`) belongs to a version of a job, so one that was taken for a claim that failed is free again once
 * the job changes. The claims of one process run one after the other: its slots would otherwise compete for the same
 * job, and each read what the others read.
 */

/** What a claim and its attempt need from the registry, as of the last acknowledged writes before the claim. */
export interface ClaimReads {
  /** undefined: it does not exist. */
  readonly profile: Profile | undefined;
  /** The settings of the job's project. @throws Error if they can't be read, which fails the attempt, not the claim */
  readonly settings: () => ProjectSettings;
  /** The parameters of the job's project: values by name. @throws Error if they can't be read, as above */
  readonly parameters: () => Readonly<Record<string, string>>;
  /** Whether the job's project has diagrams. @throws Error if that can't be read */
  readonly hasDiagrams: () => boolean;
  /** The job's texts. @throws Error if they can't be read */
  readonly texts: () => Promise<JobTexts>;
}

/** A claimed job, and what was read for the claim. */
export interface Claimed {
  readonly job: Job;
  readonly reads: ClaimReads;
}

/** The result of handling a dispatch message. */
type Claim =
  | ({ readonly kind: 'claimed' } & Claimed)
  | { readonly kind: 'retry_later'; readonly seconds: number }
  | { readonly kind: 'acknowledge' };

/** A message that finds no job may have overtaken the job's write: it is retried this often, then dropped. */
const RETRY = { times: 4, seconds: 3 } as const;

/** Delay before retrying a message whose job only newer workers can read. */
const NEWER_SCHEMA_DELAY_SECONDS = 30;

/** A message often arrives before the write that makes its job ready: at first, it is checked after these pauses. */
const RECHECK_PAUSES_MS = [50, 150, 400] as const;

/** Jobs that one query reads: a few of the best at first, more per page while those are not due yet. */
const PAGE = { first: 3, further: 25, pages: 10 } as const;

export interface ClaimContext extends GateContext, ThreadSlotContext {
  readonly registry: Registry;
  readonly texts: Pick<JobTextStore, 'get' | 'read'>;
  /** The best claimable jobs of a partition of the ready index, in its order. They may be stale. */
  readonly readReady: (partition: string) => Promise<readonly Job[]>;
  /** For all slots of the process. */
  readonly inTurn: OneAtATime;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/** `readReady` over the ready index. */
export function readyIndex(table: DynamoDBDocumentClient, tableName: string, clock: Clock): ClaimContext['readReady'] {
  return async (partition) => {
    let from: Record<string, unknown> | undefined;
    for (let page = 0; page < PAGE.pages; page += 1) {
      const { Items = [], LastEvaluatedKey } = await table.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: 'ready',
          KeyConditionExpression: '#ready_key = :ready_key',
          ExpressionAttributeNames: { '#ready_key': 'ready_key' },
          ExpressionAttributeValues: { ':ready_key': partition },
          Limit: page === 0 ? PAGE.first : PAGE.further,
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      const now = timestamp(clock.now());
      const due = knownJobs(Items).filter((job) => isReady(job) && (job.due_at === undefined || job.due_at <= now));
      if (due.length > 0 || LastEvaluatedKey === undefined) return due;
      from = LastEvaluatedKey;
    }
    return [];
  };
}

/** Handles a dispatch message: claims the best ready job of its band and project, else the message's own job. */
export async function claim(context: ClaimContext, received: ReceivedMessage, workerId: string): Promise<Claim> {
  const look = () => context.inTurn(() => findWork(context, received, workerId));
  const claimed = await look();
  if (claimed !== undefined) return claimed;
  const pauses = received.receives === 1 ? RECHECK_PAUSES_MS : [];
  for (const [n, pause] of pauses.entries()) {
    await context.pause(pause);
    // Other jobs that become ready have their own messages. But one that overtook its job may have claimed this one's,
    // and then nothing else starts that job.
    if (n < pauses.length - 1 && !(await isOwnReady(context, received))) continue;
    const late = await look();
    if (late !== undefined) return late;
  }
  return isExhausted(received, context.clock.now())
    ? { kind: 'acknowledge' }
    : { kind: 'retry_later', seconds: RETRY.seconds };
}

/** Whether the message's own job is ready, or only a later version can tell. */
async function isOwnReady({ jobs }: ClaimContext, { message }: ReceivedMessage): Promise<boolean> {
  const own = await jobs.find(message.job);
  return own === 'newer' || (own !== undefined && (!isUnderstood(own) || isReady(own)));
}

/** Busy workers pass a message on, which counts as a receipt though nothing was checked. So its age counts too. */
function isExhausted({ receives, sentAt = 0 }: ReceivedMessage, now: number): boolean {
  return receives > RETRY.times && now - sentAt > RETRY.times * RETRY.seconds * 1000;
}

async function findWork(
  context: ClaimContext,
  { message }: ReceivedMessage,
  workerId: string,
): Promise<Claim | undefined> {
  for (const candidate of await context.readReady(readyKey(message.band, message.project))) {
    const claimed = await skipDamaged(`job ${candidate.id}`, () => claimOne(context, candidate, workerId));
    if (claimed !== undefined) return { kind: 'claimed', ...claimed };
  }
  const own = await context.jobs.find(message.job);
  if (own === 'newer' || (own !== undefined && !isUnderstood(own)))
    return { kind: 'retry_later', seconds: NEWER_SCHEMA_DELAY_SECONDS };
  if (own === undefined || !isReady(own)) return undefined;
  const wait = secondsUntilDue(own, context.clock.now());
  if (wait > 0) return { kind: 'retry_later', seconds: wait };
  const claimed = await claimOne(context, own, workerId);
  return claimed && { kind: 'claimed', ...claimed };
}

/** Claims exactly this version of the job. If it has changed, the caller tries the next best job instead. */
async function claimOne(context: ClaimContext, job: Job, workerId: string): Promise<Claimed | undefined> {
  if (job.cause.kind === 'system') {
    const reads = await readForClaim(context, job);
    const claimed = await claimSystemJob(context, job, workerId);
    return claimed && { job: claimed, reads };
  }
  const { mayEnter, turns } = await enterThread(context, job);
  if (!mayEnter) {
    await wakeAll(context, await gatesOfClaim(context, { job, turns }));
    return undefined;
  }
  const reads = await readForClaim(context, job);
  const passage = { job, turns, ...reads };
  const gates = await gatesOfClaim(context, passage);
  const held = await takePlaces(context, passage, gates);
  if (held === undefined) return undefined;
  const claimed = await transition(context, job, { type: 'claim', workerId, ...held }, { rounds: 1 });
  if (claimed.done) return { job: claimed.job, reads };
  // Other jobs may have found a place taken while this claim held it.
  if (held.place !== undefined || held.folder !== undefined) await wakeAll(context, gates);
  return undefined;
}

/** Reads in one request, consistently: a limit applies to every claim after the import that set it was answered. */
export async function readForClaim(
  { registry: { table, registryTable }, texts }: Pick<ClaimContext, 'registry' | 'texts'>,
  job: Job,
): Promise<ClaimReads> {
  const inItem = textsInItem(job);
  const keys = [
    profileKey(job.profile),
    projectKey(job.project_id),
    ...(inItem === undefined ? [textsKey(job)] : []),
  ] as const;
  const items = await batchGet(table, registryTable, keys, { consistent: true });
  const [profile, project, text] = keys.map((key) => items.find(({ kind, id }) => kind === key.kind && id === key.id));
  return {
    profile: profileOf(job.profile, profile),
    settings: () => readSettingsItem(project),
    parameters: () => readParameterValues(project),
    hasDiagrams: () => readDiagramCount(project) > 0,
    texts: async () => inItem ?? (await (text === undefined ? texts.get(job) : texts.read(job, text))),
  };
}
