import * as z from 'zod';
import { jobIdOfKey } from './job-id.ts';

/**
 * What brought a job about. It is stored with the job and never changes. All its members together name the job, so that
 * one conditional put prevents duplicates however often its creation is tried.
 */
export const causeSchema = z.discriminatedUnion('kind', [
  /** A request to create it. `key`: the idempotency key, without which each request creates a job. */
  z.object({ kind: z.literal('client'), key: z.string().optional() }),
  /** A block in the output of a job. `position`: among all blocks of the attempt. */
  z.object({ kind: z.literal('follow_up'), job: z.string(), attempt: z.number(), position: z.number() }),
  /** A call of a tool by the agent of a job. `key`: that of the call, once in each round of the job. */
  z.object({ kind: z.literal('tool'), job: z.string(), round: z.number(), key: z.string() }),
  /** A message that the agent of a job has not got. */
  z.object({ kind: z.literal('message'), job: z.string(), message: z.string() }),
  /** An instant at which an automation is due. `made`: tells it from an earlier one of its name; `due`: RFC 3339. */
  z.object({ kind: z.literal('schedule'), automation: z.string(), made: z.string(), due: z.string() }),
  /** A delivery to the hook of an automation. */
  z.object({ kind: z.literal('hook'), automation: z.string(), made: z.string(), delivery: z.string() }),
  /** An event that an automation acts on. `event`: its id; `job`: that it is of; `depth`: of how many events in a row. */
  z.object({
    ...{ kind: z.literal('event'), automation: z.string(), made: z.string(), event: z.string() },
    ...{ job: z.string().optional(), depth: z.number() },
  }),
  /** Work of the service after an attempt. `name`: what it does; `key`: to what, such as a binding's id. */
  z.object({ kind: z.literal('system'), name: z.string(), job: z.string(), attempt: z.number(), key: z.string() }),
]);
export type Cause = z.output<typeof causeSchema>;

interface CauseRules {
  /** Creating it again answers with its id even while it is being removed: it has ended, and must not run twice. */
  readonly isOnce: boolean;
  /** Who repeats its cause may ask for something else: the request is recorded, and the answer names what differs. */
  readonly isCompared: boolean;
  /** It is below the job of its cause: in that job's tree, ended with it, and by default not before it in the queue. */
  readonly isDescendant: boolean;
}

/** What follows from the kind of a job's cause. */
export const CAUSES: Readonly<Record<Cause['kind'], CauseRules>> = {
  client: { isOnce: false, isCompared: true, isDescendant: false },
  follow_up: { isOnce: true, isCompared: false, isDescendant: true },
  tool: { isOnce: true, isCompared: true, isDescendant: true },
  message: { isOnce: true, isCompared: false, isDescendant: false },
  schedule: { isOnce: true, isCompared: false, isDescendant: false },
  hook: { isOnce: true, isCompared: false, isDescendant: false },
  event: { isOnce: true, isCompared: false, isDescendant: false },
  system: { isOnce: true, isCompared: false, isDescendant: false },
};

/** The id of the job with this cause. @param keyOwner whose the idempotency key of a client is (`keyOwnerOf`) */
export function jobIdOf(cause: Cause, keyOwner?: string): string {
  const members = Object.entries(cause).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return jobIdOfKey(JSON.stringify([members, cause.kind === 'client' ? keyOwner : undefined]));
}

/** The automation whose job it is; undefined: none. */
export function automationOf(cause: Cause): string | undefined {
  return 'automation' in cause ? cause.automation : undefined;
}
