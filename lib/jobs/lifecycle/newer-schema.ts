import { Logger } from '@aws-lambda-powertools/logger';

/**
 * The schema that new jobs are made by; a job keeps its own for life, whoever changes it. A new schema is read in one
 * release and written in a later one: docs/operate/upgrades.md says why.
 */
export const JOB_SCHEMA = 1;

/** The newest schema that this code reads. Jobs of later ones are left alone. */
export const NEWEST_JOB_SCHEMA: number = JOB_SCHEMA;

/** The version of permits that are sent. */
export const DISPATCH_MESSAGE_VERSION = 1;

/** A newer version of the service wrote this. It is left alone until that version is back. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';

  /** @param what such as `job ID` */
  constructor(what: string) {
    super(`${what} was written by a newer version of the service`);
  }
}

/** How many things are told of; it is a notice, no account. */
const MAX_WARNINGS = 1_000;

const log = new Logger({ serviceName: 'promptq-schema' });
const warned = new Set<string>();

/** Says, once a process, that something is left alone because a newer version made it. */
export function warnNewerSchema(what: string, facts: { readonly schema: number; readonly known: number }): void {
  if (warned.has(what) || warned.size >= MAX_WARNINGS) return;
  warned.add(what);
  log.warn('left alone: a newer version of the service made it', { what, ...facts });
}
