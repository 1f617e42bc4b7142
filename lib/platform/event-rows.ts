import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { SubjectEventType } from '../contract/event-types.ts';
import type { EventView, NewEvent } from '../contract/schemas/event.ts';
import type { Registry } from './registry.ts';

/*
 * Events that are no change of a job. Each is a row of the jobs table, because the stream of that table makes the feed:
 * so all events have one order and one way, and the feed needs no other writer. A row is written in the transaction of
 * the change that it tells of, and its id follows from that change. It is in no index, and expires after its record has
 * left the stream.
 *
 * Only a new row is an event: writing it again, and removing it, is none.
 */

/** Ids of rows begin with it, and those of jobs do not. */
export const EVENT_ROWS = 'event#';

/** The stream keeps a record for a day. */
const KEPT_SECONDS = 3 * 86_400;

export interface SubjectEvent
  extends Partial<
    Pick<EventView, 'job_id' | 'project_id' | 'project' | 'reason' | 'attempt' | 'automation' | 'profile'>
  > {
  readonly type: SubjectEventType;
  /** RFC 3339. */
  readonly time: string;
  readonly subject: NonNullable<EventView['subject']>;
}

type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * What adds an event, for a transaction.
 * @param change names the change that it tells of: no other change has this name
 * @throws Error if the process has no table for it
 */
export function eventRow({ jobsTable }: Pick<Registry, 'jobsTable'>, change: string, event: SubjectEvent): Write {
  if (jobsTable === undefined) throw new Error(`no table to tell of ${event.type}`);
  const expires_at_epoch = Math.floor(Date.parse(event.time) / 1000) + KEPT_SECONDS;
  return {
    Put: {
      TableName: jobsTable,
      Item: { id: `${EVENT_ROWS}${event.type}#${change}`, event: JSON.stringify(toldOf(event)), expires_at_epoch },
    },
  };
}

/** The event as the feed has it. */
export function toldOf(event: SubjectEvent): NewEvent {
  return {
    ...{ job_id: null, sequence: null, project_id: null, project: null, status: null, reason: null, attempt: null },
    ...{ question: null, profile: null, created_by: null, template: null, automation: null },
    ...event,
  };
}

/** Whether the id of an item of the jobs table is that of an event. */
export function isEventId(id: unknown): boolean {
  return typeof id === 'string' && id.startsWith(EVENT_ROWS);
}

/** Whether an image of the stream is the row of an event. */
export function isEventRow(image: { readonly id?: { readonly S?: string } } | undefined): boolean {
  return isEventId(image?.id?.S);
}

type Image = Parameters<typeof unmarshall>[0];

/** The event that a record of the stream adds; undefined: none. */
export function eventOfRow(record: {
  readonly OldImage?: Image | undefined;
  readonly NewImage?: Image | undefined;
}): NewEvent | undefined {
  if (record.OldImage !== undefined || record.NewImage === undefined) return undefined;
  return JSON.parse(String(unmarshall(record.NewImage).event));
}
