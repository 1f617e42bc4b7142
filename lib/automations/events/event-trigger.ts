import type { EventView } from '../../contract/schemas/event.ts';
import type { EventTrigger } from '../../contract/schemas/event-trigger.ts';
import { isJobId } from '../../jobs/lifecycle/job-id.ts';
import { quotation } from '../hooks/delivery-data.ts';

/** Ids of its readers: this, a colon, and the id of the automation. */
export const AUTOMATION_READER = 'automation';

/** Whether an event starts a job of this trigger. */
export function passesTrigger({ types, filter = {} }: EventTrigger, event: EventView): boolean {
  const fits = (wanted: string | undefined, ...had: (string | null)[]) => wanted === undefined || had.includes(wanted);
  return (
    (types as readonly string[]).includes(event.type) &&
    fits(filter.project, event.project_id, event.project) &&
    fits(filter.profile, event.profile) &&
    fits(filter.template, event.template) &&
    fits(filter.automation, event.automation) &&
    fits(filter.creator, event.created_by)
  );
}

/** Whether an event comes behind another one in the feed. @param other its id; undefined: there is none */
export function isBehind({ id }: Pick<EventView, 'id'>, other: string | undefined): boolean {
  if (other === undefined) return true;
  const [packet = 0, taken = 0] = id.split('-').map(Number);
  const [otherPacket = 0, otherTaken = 0] = other.split('-').map(Number);
  return packet === otherPacket ? taken > otherTaken : packet > otherPacket;
}

/** What a prompt can name of an event: ids and codes of the service, and nothing that a client wrote. */
export function valuesOfEvent(event: EventView | undefined): Readonly<Record<string, string>> {
  const { id, type, time, job_id, question } = event ?? {};
  return {
    'event.id': id ?? NONE,
    'event.type': type ?? NONE,
    'event.time': time ?? NONE,
    'event.job_id': typeof job_id === 'string' && isJobId(job_id) ? job_id : NONE,
    'event.question_id': question?.id.match(/^[\w-]{1,64}$/)?.[0] ?? NONE,
  };
}

/** Of a run that no event has started. */
const NONE = 'none';

/** The event as a quotation that is added below a prompt: clients wrote the names in it. */
export function quotedEvent(event: EventView): string {
  const known = Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null));
  return quotation(`event ${event.id} of this service`, [known]);
}
