import { reportDamaged } from '../../platform/aws/skip-damaged.ts';
import { type Job, jobItemSchema } from '../lifecycle/job.ts';
import { NEWEST_JOB_SCHEMA, NewerSchemaError, warnNewerSchema } from '../lifecycle/newer-schema.ts';

/**
 * The job in an item of the table.
 * @throws NewerSchemaError if a newer version of the service wrote it: only the fields that lists show can be relied on
 */
export function readJob(item: Readonly<Record<string, unknown>>): Job {
  if (isNewer(item)) throw new NewerSchemaError(`job ${String(item.id)}`);
  return jobItemSchema.parse(item);
}

/** The jobs in the items that this version can read; damaged ones are reported. */
export function knownJobs(items: readonly Readonly<Record<string, unknown>>[]): Job[] {
  return items
    .filter((item) => !isNewer(item))
    .flatMap((item) => {
      const { data, error } = jobItemSchema.safeParse(item);
      if (data === undefined) reportDamaged(`job ${String(item.id)}`, error);
      return data ?? [];
    });
}

function isNewer({ id, schema }: Readonly<Record<string, unknown>>): boolean {
  if (typeof schema !== 'number' || schema <= NEWEST_JOB_SCHEMA) return false;
  warnNewerSchema(`job ${String(id)}`, { schema, known: NEWEST_JOB_SCHEMA });
  return true;
}
